// A camera that turns about a target: drag, wheel, pinch, two fingers, right button.

class OrbitCamera {
  constructor(canvas, plane, changed) {
    this.plane = plane;
    this.changed = changed;
    this.camera = plane ? new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01, 100) : new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    this.camera.up.set(0, plane ? 1 : 0, plane ? 0 : 1);
    this.target = new THREE.Vector3();
    this.pointers = new Map();
    canvas.addEventListener('pointerdown', e => this.down(canvas, e));
    canvas.addEventListener('pointermove', e => this.move(canvas, e));
    for (const kind of ['pointerup', 'pointercancel']) canvas.addEventListener(kind, e => this.pointers.delete(e.pointerId));
    canvas.addEventListener('wheel', e => { e.preventDefault(); this.zoom(Math.exp(0.0012 * e.deltaY)); }, {passive: false});
    canvas.addEventListener('contextmenu', e => e.preventDefault());
  }

  // So that a ball of this radius about `centre` is in sight. One may come as near as shows a ball of the radius `least`.
  look(centre, radius, least, aspect) {
    this.target.copy(centre);
    this.size = radius;
    this.closest = Math.min(1e-3 * radius, least);
    this.azimuth = this.plane ? 0 : -1.05;
    this.elevation = this.plane ? 0 : 0.36;
    this.distance = this.plane ? radius : radius / Math.sin(17.5 * Math.PI / 180) / Math.min(1, aspect) * 0.86;
    this.resize(aspect);
  }
  resize(aspect) {
    this.aspect = aspect;
    this.place();
  }
  place() {
    const c = this.camera;
    if (this.plane) {
      const half = Math.max(1, 1 / this.aspect) * this.distance * 1.04 / Math.max(1, Math.min(this.aspect, 1.6));
      c.left = -half * this.aspect;
      c.right = half * this.aspect;
      c.top = half;
      c.bottom = -half;
      c.near = 0.01 * this.size;
      c.far = 20 * this.size;
      c.position.set(this.target.x, this.target.y, 10 * this.size);
    } else {
      const flat = Math.cos(this.elevation);
      c.aspect = this.aspect;
      c.near = 0.01 * this.distance;
      c.far = 4 * this.distance + 60 * this.size;
      c.position.set(this.target.x + this.distance * flat * Math.cos(this.azimuth), this.target.y + this.distance * flat * Math.sin(this.azimuth),
        this.target.z + this.distance * Math.sin(this.elevation));
    }
    c.lookAt(this.target);
    c.updateProjectionMatrix();
    this.changed();
  }
  zoom(factor) {
    this.distance = Math.max(this.closest, Math.min(50 * this.size, this.distance * factor));
    this.place();
  }
  pan(dx, dy, height) {
    const unit = this.plane ? (this.camera.top - this.camera.bottom) / height : 2 * this.distance * Math.tan(17.5 * Math.PI / 180) / height;
    const m = this.camera.matrixWorld.elements;
    for (let k = 0; k < 3; ++k) {
      this.target.setComponent(k, this.target.getComponent(k) - unit * dx * m[k] + unit * dy * m[4 + k]);
    }
    this.place();
  }
  down(canvas, e) {
    canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
  }
  move(canvas, e) {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last.x, dy = e.clientY - last.y;
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== e.pointerId)[1];
      const before = Math.hypot(last.x - other.x, last.y - other.y), after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
      if (before > 0 && after > 0) this.zoom(before / after);
      this.pan(dx / 2, dy / 2, canvas.clientHeight);
    } else if (this.plane || e.buttons === 2 || e.buttons === 4 || e.shiftKey) {
      this.pan(dx, dy, canvas.clientHeight);
    } else {
      this.azimuth -= 0.006 * dx;
      this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + 0.006 * dy));
      this.place();
    }
    last.x = e.clientX;
    last.y = e.clientY;
  }
}
