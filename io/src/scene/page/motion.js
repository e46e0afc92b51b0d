// Where bodies are at a frame, or between two: positions of 16 bits in a box, the vector part of unit quaternions with
// w >= 0 (in space) or an angle over 2 pi (in the plane), of 16 bits too. Places count from 1: 0 is a body that is not
// there at that frame. Speeds are bytes: code c = 1 to 255 is the largest times 10^(decades (c - 255) / 254), 0 is slower.

class Motion {
  constructor(scene, arrays) {
    this.bodies = scene.bodies.length;
    this.plane = scene.dimension === 2;
    this.frames = scene.frames;
    this.scale = scene.high.map((high, i) => (high - scene.low[i]) / 65534);
    this.low = scene.low.map((low, i) => low - this.scale[i]);
    this.places = arrays.places;
    this.turns = arrays.turns;
    this.numTurns = scene.turning.length;
    this.turnOf = new Int32Array(this.bodies).fill(-1);  // body -> place among those whose turns are stored; -1: none
    scene.turning.forEach((body, t) => { this.turnOf[body] = t; });
    this.speeds = arrays.speeds;
    this.speedOfCode = Float32Array.from({length: 256}, (_, c) => c && scene.largest_speed * 10 ** (scene.speed_decades * (c - 255) / 254));
    this.leaves = new Set(scene.outside);  // bodies that leave the box
    this.there = new Uint8Array(this.bodies);
    this.position = new Float32Array(3 * this.bodies);
    this.orientation = new Float32Array(4 * this.bodies);
    for (let b = 0; b < this.bodies; ++b) this.orientation[4 * b + 3] = 1;
  }

  // position and orientation (x, y, z, w) at frame + part, 0 <= part < 1.
  moveTo(frame, part) {
    const next = part > 0 ? Math.min(frame + 1, this.frames - 1) : frame;
    this.movePositions(frame, next, part);
    if (this.plane) this.turnInPlane(frame, next, part);
    else this.turnInSpace(frame, next, part);
  }

  movePositions(frame, next, part) {
    const d = this.plane ? 2 : 3, n = this.bodies, a = frame * n * d, b = next * n * d;
    for (let k = 0; k < n; ++k) {
      this.there[k] = this.places[a + d * k] > 0 ? 1 : 0;
      for (let i = 0; i < d; ++i) {
        const from = this.places[a + d * k + i], to = this.places[b + d * k + i] || from;
        this.position[3 * k + i] = this.low[i] + this.scale[i] * (from + part * (to - from));
      }
    }
  }

  turnInPlane(frame, next, part) {
    const a = frame * this.numTurns, b = next * this.numTurns, unit = Math.PI / 32768;
    for (let k = 0; k < this.bodies; ++k) {
      const t = this.turnOf[k];
      if (t < 0) continue;
      const from = this.turns[a + t];
      const way = ((this.turns[b + t] - from + 98304) & 65535) - 32768;
      const half = 0.5 * unit * (from + part * way);
      this.orientation[4 * k + 2] = Math.sin(half);
      this.orientation[4 * k + 3] = Math.cos(half);
    }
  }

  turnInSpace(frame, next, part) {
    const a = 3 * frame * this.numTurns, b = 3 * next * this.numTurns, q = this.orientation, turns = this.turns;
    for (let k = 0; k < this.bodies; ++k) {
      const t = this.turnOf[k];
      if (t < 0) continue;
      let x = turns[a + 3 * t] / 32767 - 1, y = turns[a + 3 * t + 1] / 32767 - 1, z = turns[a + 3 * t + 2] / 32767 - 1;
      let w = Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z));
      if (part > 0) {
        const x1 = turns[b + 3 * t] / 32767 - 1, y1 = turns[b + 3 * t + 1] / 32767 - 1, z1 = turns[b + 3 * t + 2] / 32767 - 1;
        const w1 = Math.sqrt(Math.max(0, 1 - x1 * x1 - y1 * y1 - z1 * z1));
        const to = x * x1 + y * y1 + z * z1 + w * w1 < 0 ? -part : part, from = 1 - part;
        x = from * x + to * x1;
        y = from * y + to * y1;
        z = from * z + to * z1;
        w = from * w + to * w1;
        const length = Math.sqrt(x * x + y * y + z * z + w * w) || 1;
        x /= length;
        y /= length;
        z /= length;
        w /= length;
      }
      q[4 * k] = x;
      q[4 * k + 1] = y;
      q[4 * k + 2] = z;
      q[4 * k + 3] = w;
    }
  }

  // |velocity| of each body at a frame, as recorded.
  speedsAt(frame, out) {
    const first = frame * this.bodies;
    for (let k = 0; k < this.bodies; ++k) out[k] = this.speedOfCode[this.speeds[first + k]];
  }
  // At a side of the box, as it has left it.
  isOutside(frame, body) {
    const d = this.plane ? 2 : 3, first = d * (frame * this.bodies + body);
    return this.leaves.has(body) && this.places.subarray(first, first + d).some(x => x === 1 || x === 65535);
  }
  speedOf(frame, body) { return this.speedOfCode[this.speeds[frame * this.bodies + body]]; }
}
