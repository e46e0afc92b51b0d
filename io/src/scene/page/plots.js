// Curves over time with a cursor at the present, and phase portraits with a point there. The curves are drawn once into
// a picture of their own; a frame only copies it and draws the cursor.

function niceStep(range, parts) {
  const raw = range / Math.max(1, parts), power = 10 ** Math.floor(Math.log10(raw));
  for (const m of [1, 2, 5]) if (m * power >= raw) return m * power;
  return 10 * power;
}

// Nice values from low to high, apart by a nice step that makes some `parts` of it, but two at least.
function ticksOf(low, high, parts) {
  for (let wanted = Math.max(1, parts);; wanted *= 2) {
    const step = niceStep(high - low, wanted), ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k * step);
    if (ticks.length > 1 || !(wanted < 64 * Math.max(1, parts))) return ticks;
  }
}

function shortNumber(x) {
  if (x === 0) return '0';
  const a = Math.abs(x);
  return a >= 1e5 || a < 1e-3 ? x.toExponential(1).replace('e+', 'e') : String(parseFloat(x.toPrecision(4)));
}

// What is written at ticks: as many digits as tell them apart, powers of ten for what is far from 1.
function tickTexts(ticks) {
  const power = x => Math.floor(Math.log10(x) + 1e-9), largest = Math.max(...ticks.map(Math.abs));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : largest || 1, last = power(step);  // of the last digit
  const far = largest >= 1e5 || largest < 1e-3, long = largest > 0 && power(largest) - last > 4;
  return ticks.map(v => {
    const a = Math.abs(v);
    if (a < 1e-9 * step) return '0';
    if (far && !long) return v.toExponential(Math.max(1, power(a) - last)).replace('e+', 'e');
    return String(parseFloat(v.toFixed(Math.min(100, Math.max(0, -last)))));
  });
}

const kPlotFont = '11px system-ui, "DejaVu Sans", sans-serif';

class Plot {
  // what: {title, x: {label, values}, y: {label}, logarithmic, curves: [{name, values}], phase}
  constructor(what, parent, seek) {
    this.what = what;
    this.x = what.x.values;
    const box = document.createElement('div');
    box.className = 'plot';
    const name = document.createElement('div');
    name.className = 'name';
    const title = document.createElement('span');
    title.textContent = what.phase ? `${what.title}, ${what.curves[0].name} over ${what.x.label}` : what.title;
    name.append(title);
    this.keys = [];
    if (what.curves.length > 1) {
      what.curves.forEach((curve, i) => {
        const key = document.createElement('span');
        key.className = 'key';
        this.keys.push(key);
        key.textContent = curve.name;
        name.append(key);
      });
    }
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', what.title);
    box.append(name, this.canvas);
    parent.append(box);
    this.back = document.createElement('canvas');
    this.bounds();
    if (!what.phase) {
      const go = e => { if (e.buttons) seek(this.timeAt(e.offsetX)); };
      this.canvas.addEventListener('pointerdown', e => { this.canvas.setPointerCapture(e.pointerId); go(e); });
      this.canvas.addEventListener('pointermove', go);
    }
  }

  value(y) { return this.what.logarithmic ? Math.log10(y) : y; }

  bounds() {
    let low = Infinity, high = -Infinity;
    for (const curve of this.what.curves) {
      for (const y of curve.values) {
        const v = this.value(y);
        if (!Number.isFinite(v)) continue;
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    const room = high > low ? 0.06 * (high - low) : 0.5 * Math.abs(high) || 0.5;
    this.low = low - room;
    this.high = high + room;
    this.left = Infinity;
    this.right = -Infinity;
    for (const x of this.x) {
      if (!Number.isFinite(x)) continue;
      this.left = Math.min(this.left, x);
      this.right = Math.max(this.right, x);
    }
    if (!(this.right > this.left)) {
      this.left -= 0.5;
      this.right = this.left + 1;
    }
    if (this.what.phase) {
      const wide = 0.05 * (this.right - this.left);
      this.left -= wide;
      this.right += wide;
    }
  }

  resize() {
    const ratio = window.devicePixelRatio || 1, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!(w > 0 && h > 0)) return;
    this.ratio = ratio;
    const high = h - 6 - 30, left = this.roomLeft(high);
    this.frame = {x: left, y: 6, w: w - left - 10, h: high};
    for (const c of [this.canvas, this.back]) {
      c.width = Math.round(w * ratio);
      c.height = Math.round(h * ratio);
    }
    this.drawBack();
  }
  // Of the numbers beside the axis that goes up.
  roomLeft(height) {
    const g = this.back.getContext('2d');
    g.font = kPlotFont;
    return Math.max(52, ...this.textsUp(this.ticksUp(height)).map(text => Math.ceil(g.measureText(text).width) + 8));
  }
  px(x) { return this.frame.x + (x - this.left) / (this.right - this.left) * this.frame.w; }
  py(v) { return this.frame.y + (this.high - v) / (this.high - this.low) * this.frame.h; }
  timeAt(px) { return this.left + (px - this.frame.x) / this.frame.w * (this.right - this.left); }

  drawBack() {
    const g = this.back.getContext('2d'), f = this.frame, css = getComputedStyle(document.documentElement);
    const line = css.getPropertyValue('--line'), soft = css.getPropertyValue('--soft');
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.back.width, this.back.height);
    g.font = kPlotFont;
    g.strokeStyle = line;
    g.fillStyle = soft;
    g.lineWidth = 1;
    this.drawGrid(g, f);
    g.save();
    g.beginPath();
    g.rect(f.x, f.y, f.w, f.h);
    g.clip();
    const colours = this.dark ? kThingsOnDark : kThings;
    this.what.curves.forEach((curve, i) => this.drawCurve(g, curve.values, colours[i % colours.length]));
    g.restore();
  }

  // Of a logarithmic axis whole powers of ten, some 20 pixels apart; there may be one only, or none.
  ticksUp(height) {
    if (!this.what.logarithmic) return ticksOf(this.low, this.high, height / 34);
    const step = Math.max(1, Math.ceil((this.high - this.low) / Math.max(2, Math.min(5, height / 20))));
    const ticks = [];
    for (let v = Math.ceil(this.low / step) * step; v <= this.high; v += step) ticks.push(v);
    return ticks;
  }

  textsUp(ticks) { return this.what.logarithmic ? ticks.map(v => `1e${Math.round(v)}`) : tickTexts(ticks); }

  drawGrid(g, f) {
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    const up = this.ticksUp(f.h), texts = this.textsUp(up);
    up.forEach((v, k) => {
      const y = Math.round(this.py(v)) + 0.5;
      g.beginPath();
      g.moveTo(f.x, y);
      g.lineTo(f.x + f.w, y);
      g.stroke();
      g.fillText(texts[k], f.x - 6, y);
    });
    g.textAlign = 'center';
    g.textBaseline = 'top';
    const across = ticksOf(this.left, this.right, f.w / 80), below = tickTexts(across);
    across.forEach((x, k) => g.fillText(below[k], this.px(x), f.y + f.h + 4));
    g.textAlign = 'right';
    g.textBaseline = 'bottom';
    g.fillText(this.what.x.label, f.x + f.w, f.y + f.h + 29);
  }

  drawCurve(g, values, colour) {
    g.strokeStyle = colour;
    g.lineWidth = 1.6;
    g.lineJoin = 'round';
    g.beginPath();
    let down = false;
    for (let i = 0; i < values.length; ++i) {
      const v = this.value(values[i]);
      if (!Number.isFinite(v) || !Number.isFinite(this.x[i])) {
        down = false;
        continue;
      }
      const x = this.px(this.x[i]), y = this.py(v);
      if (down) g.lineTo(x, y);
      else g.moveTo(x, y);
      down = true;
    }
    g.stroke();
  }

  // The cursor at time t; `index` is that of the frame among the values.
  show(t, index) {
    if (!this.frame) return;
    const g = this.canvas.getContext('2d'), f = this.frame, css = this.cursor || (this.cursor = getComputedStyle(document.documentElement).getPropertyValue('--cursor'));
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.back, 0, 0);
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.strokeStyle = g.fillStyle = css;
    if (!this.what.phase) {
      const x = this.px(t);
      g.beginPath();
      g.moveTo(x, f.y);
      g.lineTo(x, f.y + f.h);
      g.stroke();
    }
    for (const curve of this.what.curves) {
      const v = this.value(curve.values[index]);
      if (!Number.isFinite(v)) continue;
      g.beginPath();
      g.arc(this.px(this.what.phase ? this.x[index] : t), this.py(v), 3.2, 0, 2 * Math.PI);
      g.fill();
    }
  }
  themeChanged(dark) {
    this.cursor = null;
    this.dark = dark;
    const colours = dark ? kThingsOnDark : kThings;
    this.keys.forEach((key, i) => key.style.setProperty('--of', colours[i % colours.length]));
    if (this.frame) this.drawBack();
  }
}
