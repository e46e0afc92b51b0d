// Contacts frame by frame: the pairs, points and forces of those that press most, 16 bits each.

class Contacts {
  constructor(scene, arrays) {
    this.first = arrays.contact_first;  // per frame, the number of its first contact; one more at the end
    this.place = arrays.contact_places;
    this.force = arrays.contact_forces;
    this.pair = arrays.contact_pairs;
    this.scale = scene.high.map((high, i) => (high - scene.low[i]) / 65534);
    this.low = scene.low.map((low, i) => low - this.scale[i]);
    this.plane = scene.dimension === 2;
    this.largest = scene.largest_force || 0;
    this.typical = scene.typical_force || this.largest;
  }
  get any() { return Boolean(this.first) && this.largest > 0; }
  begin(frame) { return this.first[frame]; }
  end(frame) { return this.first[frame + 1]; }
  // Into out[0..2]: where; out[3..5]: the force on the first body [N].
  read(contact, out) {
    const d = this.plane ? 2 : 3;
    out[2] = out[5] = 0;
    for (let i = 0; i < d; ++i) {
      out[i] = this.low[i] + this.scale[i] * this.place[d * contact + i];
      out[3 + i] = (this.force[d * contact + i] / 32767 - 1) * this.largest;
    }
  }
  bodies(contact) { return [this.pair[2 * contact] - 1, this.pair[2 * contact + 1] - 1]; }  // -1: the ground
  // The largest force at each body.
  strongest(frame, out) {
    out.fill(0);
    const v = [0, 0, 0, 0, 0, 0];
    for (let c = this.begin(frame); c < this.end(frame); ++c) {
      this.read(c, v);
      const size = Math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
      for (let side = 0; side < 2; ++side) {
        const b = this.pair[2 * c + side] - 1;
        if (b >= 0 && size > out[b]) out[b] = size;
      }
    }
  }
}
