// The page: play, slider, speed, colours, picking, plots that follow.

const byId = id => document.getElementById(id);

class Page {
  constructor(scene, arrays) {
    this.scene = scene;
    this.times = arrays.times;
    this.time = this.times[0];
    this.frame = 0;
    this.playing = false;
    this.cost = [];  // of own script, the last frames [ms]
    byId('title').textContent = scene.title;
    byId('subtitle').textContent = scene.subtitle;
    document.title = scene.title;
    if (scene.dimension) {
      this.motion = new Motion(scene, arrays);
      this.contacts = new Contacts(scene, arrays);
      this.stage = new Stage(scene, this.motion, this.contacts, byId('scene-canvas'));
      this.values = new Float32Array(scene.bodies.length);
      this.fastest = scene.typical_speed || 1;
    }
    this.plots = scene.plots.map(p => new Plot({
      title: p.title, phase: Boolean(p.phase), logarithmic: Boolean(p.logarithmic), x: {label: p.x_label, values: arrays[p.x]},
      curves: p.curves.map(c => ({name: c.name, values: arrays[c.array]})),
    }, byId('plots'), t => this.seek(t)));
    document.querySelector('main').classList.toggle('plots-only', !this.stage);
    document.querySelector('main').classList.toggle('stage-only', !this.plots.length);
    this.fillChoices();
    this.listen();
    this.setTheme(matchMedia('(prefers-color-scheme: dark)').matches);
    new ResizeObserver(() => this.resize()).observe(document.querySelector('main'));
    this.resize();
    requestAnimationFrame(now => this.tick(now));
  }

  fillChoices() {
    const s = this.scene, colour = byId('colour');
    const kinds = [['bodies', 'bodies']];
    if (this.stage) kinds.push(['speed', 'speed']);
    if (this.stage && this.contacts.any) kinds.push(['force', 'contact force']);
    for (const [value, text] of kinds) colour.append(new Option(text, value));
    byId('colour-choice').hidden = !this.stage;
    byId('view-from').hidden = !this.stage;
    for (const id of ['forces-choice', 'chains-choice']) byId(id).hidden = !(this.stage && this.contacts.any);
    if (this.stage && s.bodies.length > 30) colour.value = 'speed';
    const span = this.times[this.times.length - 1] - this.times[0];
    const fit = span > 0 ? span / 10 : 1;  // the whole run in 10 s
    this.speeds = [...new Set([0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, parseFloat(fit.toPrecision(2))])].sort((a, b) => a - b);
    for (const v of this.speeds) byId('speed').append(new Option(`${shortNumber(v)} x`, v));
    byId('speed').value = span >= 1 && span <= 60 ? 1 : parseFloat(fit.toPrecision(2));
    const slider = byId('slider');
    slider.max = this.times.length - 1;
  }

  listen() {
    byId('play').addEventListener('click', () => this.play(!this.playing));
    byId('back').addEventListener('click', () => this.stepBy(-1));
    byId('on').addEventListener('click', () => this.stepBy(1));
    byId('slider').addEventListener('input', e => { this.play(false); this.toFrame(Number(e.target.value)); });
    byId('colour').addEventListener('change', () => { this.stale = true; });
    for (const id of ['arrows', 'chains']) byId(id).addEventListener('change', e => { this.stage.show(id, e.target.checked); this.stale = true; });
    byId('view-from').addEventListener('click', () => this.stage.whole());
    byId('theme').addEventListener('click', () => this.setTheme(!this.dark));
    byId('help').addEventListener('click', () => byId('keys').showModal());
    document.addEventListener('keydown', e => this.key(e));
    if (!this.stage) return;
    const canvas = byId('scene-canvas');
    let from = null;
    canvas.addEventListener('pointerdown', e => { from = [e.clientX, e.clientY]; });
    canvas.addEventListener('pointerup', e => {
      if (from && Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 4) this.pick(this.stage.pick(e.clientX, e.clientY));
    });
  }

  key(e) {
    if (byId('keys').open || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.tagName === 'SELECT' && e.key !== 'Escape') return;
    const box = id => { const b = byId(id); if (!b.parentElement.hidden) b.click(); };
    const acts = {
      ' ': () => this.play(!this.playing), ArrowLeft: () => this.stepBy(e.shiftKey ? -10 : -1), ArrowRight: () => this.stepBy(e.shiftKey ? 10 : 1),
      Home: () => this.stepBy(-Infinity), End: () => this.stepBy(Infinity), '+': () => this.changeSpeed(1), '-': () => this.changeSpeed(-1),
      c: () => this.nextColour(), f: () => box('arrows'), l: () => box('chains'), r: () => this.stage && this.stage.whole(),
      d: () => this.setTheme(!this.dark), '?': () => byId('keys').showModal(), Escape: () => this.stage && this.pick(-1),
    };
    const act = acts[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }
  changeSpeed(way) {
    const now = this.speeds.indexOf(Number(byId('speed').value)), next = this.speeds[now + way];
    if (next !== undefined) byId('speed').value = next;
  }
  nextColour() {
    const c = byId('colour');
    c.selectedIndex = (c.selectedIndex + 1) % c.options.length;
    this.stale = true;
  }

  setTheme(dark) {
    this.dark = dark;
    document.documentElement.classList.toggle('dark', dark);
    for (const plot of this.plots) plot.themeChanged(dark);
    if (this.stage) this.stage.setTheme(dark);
    this.stale = true;
  }
  resize() {
    if (this.stage) this.stage.resize();
    for (const plot of this.plots) plot.resize();
    this.stale = true;
  }

  play(on) {
    if (on && this.frame >= this.times.length - 1) this.toFrame(0);
    this.playing = on;
    this.last = undefined;
    byId('play').textContent = on ? 'pause' : 'play';
  }
  stepBy(frames) {
    this.play(false);
    this.toFrame(Math.max(0, Math.min(this.times.length - 1, this.frame + frames)));
  }
  toFrame(frame) {
    this.frame = frame;
    this.time = this.times[frame];
    this.stale = true;
  }
  seek(t) {
    this.play(false);
    this.time = Math.max(this.times[0], Math.min(this.times[this.times.length - 1], t));
    this.frame = this.frameAt(this.time);
    this.stale = true;
  }
  frameAt(t) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  tick(now) {
    requestAnimationFrame(next => this.tick(next));
    const begun = performance.now();
    if (this.playing) {
      if (this.last !== undefined) this.time += Math.min(0.25, (now - this.last) / 1000) * Number(byId('speed').value);
      this.last = now;
      if (this.time >= this.times[this.times.length - 1]) {
        this.toFrame(this.times.length - 1);
        this.play(false);
      } else {
        this.frame = this.frameAt(this.time);
      }
      this.stale = true;
    }
    if (this.stale) {
      this.stale = false;
      this.update();
      this.cost.push(performance.now() - begun);
      if (this.cost.length > 1000) this.cost.shift();
    }
    if (this.stage && this.stage.draw()) this.drawn = (this.drawn || 0) + 1;
  }

  update() {
    const f = this.frame, next = Math.min(f + 1, this.times.length - 1), gap = this.times[next] - this.times[f];
    const part = gap > 0 ? Math.max(0, Math.min(1, (this.time - this.times[f]) / gap)) : 0;
    if (this.stage) {
      this.motion.moveTo(f, part);
      this.colour(f);
      this.stage.place(f, this.dark ? [0.55, 0.6, 0.66] : [0.62, 0.67, 0.73]);
      this.tellPicked();
    }
    for (const plot of this.plots) plot.show(this.time, f);
    byId('slider').value = f;
    byId('clock').textContent = `${this.time.toFixed(this.scene.digits)} s`;
  }

  colour(frame) {
    const kind = byId('colour').value, {tints} = this.stage, legend = byId('legend');
    if (kind === 'bodies') {
      for (let b = 0; b < this.scene.bodies.length; ++b) tints.set(this.colours(b), 3 * b);
      if (this.legendOf !== kind) legend.textContent = '';
    } else {
      const scale = kind === 'speed' ? this.fastest : this.contacts.typical;
      if (kind === 'speed') this.motion.speedsAt(frame, this.values);
      else this.contacts.strongest(frame, this.values);
      for (let b = 0; b < this.values.length; ++b) rampColour(Math.sqrt(this.values[b] / scale), tints, 3 * b);
      if (this.legendOf !== kind) {
        legend.textContent = `${kind === 'speed' ? 'speed' : 'largest contact force'} 0 `;
        const ramp = document.createElement('span');
        ramp.className = 'ramp';
        ramp.style.background = rampStyle();
        legend.append(ramp, ` ${shortNumber(scale)} ${kind === 'speed' ? 'm/s' : 'N'} and more`);
      }
    }
    this.legendOf = kind;
  }
  colours(body) {
    if (!this.palette) this.palette = this.scene.bodies.map((_, b) => thingColour(this.scene.colours ? this.scene.colours[b] : b));
    return this.palette[body];
  }

  pick(body) {
    this.stage.picked = body;
    byId('picked').hidden = body < 0;
    this.stale = true;
  }
  // To the two digits that a byte has.
  speedText(body) {
    const speed = this.motion.speedOf(this.frame, body), slowest = this.motion.speedOfCode[1];
    if (speed > 0 || !(slowest > 0)) return `${shortNumber(Number(speed.toPrecision(2)))} m/s`;
    return `below ${shortNumber(Number(slowest.toPrecision(1)))} m/s`;
  }
  tellPicked() {
    const b = this.stage.picked;
    if (b < 0) return;
    const p = [0, 1, 2].slice(0, this.scene.dimension).map(i => this.motion.position[3 * b + i]);
    const there = this.motion.there[b] > 0, outside = there && this.motion.isOutside(this.frame, b);
    const place = outside ? 'outside the box that is shown' : there ? `${p.map(x => x.toPrecision(4)).join(', ')} m` : 'not there at this time';
    const rows = [['position', place]];
    if (there) rows.push(['speed', this.speedText(b)]);
    if (there && this.contacts.any) {
      let count = 0, largest = 0;
      const v = [0, 0, 0, 0, 0, 0];
      for (let c = this.contacts.begin(this.frame); c < this.contacts.end(this.frame); ++c) {
        if (!this.contacts.bodies(c).includes(b)) continue;
        this.contacts.read(c, v);
        largest = Math.max(largest, Math.hypot(v[3], v[4], v[5]));
        ++count;
      }
      rows.push(['contacts', String(count)], ['largest force', `${largest.toPrecision(3)} N`]);
    }
    const box = byId('picked'), name = document.createElement('b'), table = document.createElement('table');
    name.textContent = this.scene.bodies[b];
    for (const [what, value] of rows) {
      const row = table.insertRow();
      row.insertCell().textContent = what;
      row.insertCell().textContent = value;
    }
    box.replaceChildren(name, table);
  }
}

(async () => {
  const scene = JSON.parse(byId('scene').textContent);
  try {
    window.page = new Page(scene, await readArrays(scene.arrays, byId('data')));
  } catch (error) {
    byId('subtitle').textContent = `This page cannot be shown: ${error.message}`;
    throw error;
  }
})();
