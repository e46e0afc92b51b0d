// Colours that the colour-blind tell apart: Okabe and Ito's for things, a ramp like viridis for values.

const kThings = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8c6d31', '#7f7f9f'];
// The same as curves on a dark panel: blue and ochre lightened, so that each has a contrast of 4.5 to it and more.
const kThingsOnDark = ['#3d9be0', '#e69f00', '#00b386', '#cc79a7', '#7cc8f5', '#e8732a', '#b3925a', '#a0a0c0'];
const kRamp = [[58, 82, 139], [44, 113, 142], [33, 145, 140], [53, 183, 121], [144, 215, 67], [253, 231, 37]];

// Of a value in [0, 1], into out[at..at+2], linear components in [0, 1].
function rampColour(value, out, at) {
  const x = Math.max(0, Math.min(1, value)) * (kRamp.length - 1), i = Math.min(Math.floor(x), kRamp.length - 2), f = x - i;
  for (let k = 0; k < 3; ++k) out[at + k] = (kRamp[i][k] + f * (kRamp[i + 1][k] - kRamp[i][k])) / 255;
}

function rampStyle() {
  return `linear-gradient(90deg, ${kRamp.map(c => `rgb(${c.join(',')})`).join(', ')})`;
}

function thingColour(number) {
  const c = parseInt(kThings[number % kThings.length].slice(1), 16);
  return [(c >> 16) / 255, ((c >> 8) & 255) / 255, (c & 255) / 255];
}
