// What is drawn: shapes of bodies as instances, one set a geometry; the ground; forces and force chains.

// A material whose instances have a tint each.
function tintedMaterial(options) {
  const material = new THREE.MeshStandardMaterial(Object.assign({color: 0xffffff, roughness: 0.55, metalness: 0.02}, options));
  material.onBeforeCompile = shader => {
    shader.vertexShader = shader.vertexShader.replace('#include <common>', '#include <common>\nattribute vec3 tint;\nvarying vec3 vTint;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvTint = tint;');
    shader.fragmentShader = shader.fragmentShader.replace('#include <common>', '#include <common>\nvarying vec3 vTint;')
      .replace('#include <color_fragment>', '#include <color_fragment>\ndiffuseColor.rgb *= vTint;');
  };
  return material;
}

function instances(geometry, count, material) {
  geometry.setAttribute('tint', new THREE.InstancedBufferAttribute(new Float32Array(3 * count).fill(1), 3));
  const mesh = new THREE.InstancedMesh(geometry, material, count);
  mesh.frustumCulled = false;
  return mesh;
}

// m := the matrix of turn q (x, y, z, w), scales s and place p.
function writeMatrix(m, at, p, q, s) {
  const x = q[0], y = q[1], z = q[2], w = q[3], x2 = x + x, y2 = y + y, z2 = z + z;
  const xx = x * x2, xy = x * y2, xz = x * z2, yy = y * y2, yz = y * z2, zz = z * z2, wx = w * x2, wy = w * y2, wz = w * z2;
  m[at] = (1 - yy - zz) * s[0];
  m[at + 1] = (xy + wz) * s[0];
  m[at + 2] = (xz - wy) * s[0];
  m[at + 4] = (xy - wz) * s[1];
  m[at + 5] = (1 - xx - zz) * s[1];
  m[at + 6] = (yz + wx) * s[1];
  m[at + 8] = (xz + wy) * s[2];
  m[at + 9] = (yz - wx) * s[2];
  m[at + 10] = (1 - xx - yy) * s[2];
  m[at + 12] = p[0];
  m[at + 13] = p[1];
  m[at + 14] = p[2];
  m[at + 3] = m[at + 7] = m[at + 11] = 0;
  m[at + 15] = 1;
}

// The turn that takes z to the direction d of length 1.
function turnOfAxis(d, q) {
  if (d[2] > -0.999999) {
    const s = Math.sqrt(2 * (1 + d[2]));
    q[0] = -d[1] / s;
    q[1] = d[0] / s;
    q[2] = 0;
    q[3] = s / 2;
  } else {
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
  }
}

class Stage {
  constructor(scene, motion, contacts, canvas) {
    this.scene = scene;
    this.motion = motion;
    this.contacts = contacts;
    this.canvas = canvas;
    this.plane = scene.dimension === 2;
    this.world = new THREE.Scene();
    this.renderer = new THREE.WebGLRenderer({canvas, antialias: true, alpha: true});
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.dirty = true;
    this.orbit = new OrbitCamera(canvas, this.plane, () => { this.dirty = true; });
    this.centre = new THREE.Vector3(...scene.low.map((low, i) => 0.5 * (low + scene.high[i])), ...(this.plane ? [0] : []));
    this.radius = 0.5 * Math.hypot(...scene.low.map((low, i) => scene.high[i] - low)) || 1;
    this.tints = new Float32Array(3 * scene.bodies.length);
    this.radii = new Float32Array(scene.bodies.length).fill(0);
    this.addLights();
    this.sets = [];
    this.grounds = [];  // what is unbounded, and the shape that it is of
    this.addShapes();
    this.addForces();
    this.picked = -1;
  }

  addLights() {
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8a93a0, 0.72);
    this.sky.position.set(0, 0, 1);
    this.sun = new THREE.DirectionalLight(0xfff4e6, this.plane ? 0.3 : 0.62);  // seen from above all is lit
    this.sun.position.set(this.centre.x + this.radius * (this.plane ? 0.5 : 1.2), this.centre.y - this.radius * (this.plane ? -0.8 : 0.9), this.centre.z + 2.4 * this.radius);
    this.sun.target.position.copy(this.centre);
    this.world.add(this.sky, this.sun, this.sun.target);
    this.shadows = !this.plane && this.scene.shapes.length <= 3000;
    if (!this.shadows) return;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    const c = this.sun.shadow.camera, r = 1.3 * this.radius;
    c.left = c.bottom = -r;
    c.right = c.top = r;
    c.near = 0.01 * r;
    c.far = 6 * r;
    this.sun.shadow.bias = -0.0006;
  }

  // Shapes with one geometry are one set, and so are all spheres and all disks, which differ in size alone.
  addShapes() {
    const groups = new Map();
    for (const [geometry, body, x, y, z, a, b, c, d, from = 0, to = Infinity] of this.scene.shapes) {
      const turn = [a, b, c, d], kind = this.scene.geometries[geometry];
      const shape = {geometry, body, position: [x, y, z], orientation: turn, from, to};  // there at frames from <= f < to
      shape.still = body >= 0 && this.motion.turnOf[body] < 0 && !x && !y && !z && !turn[0] && !turn[1] && !turn[2];
      if (kind.kind === 'mark') kind.size = 0.02 * this.radius;
      const round = kind.kind === 'sphere' || kind.kind === 'disk', size = round ? kind.numbers[0] : 1;
      shape.scale = [size, size, size];
      if (geometryOf[kind.kind]) {
        const key = round ? `${kind.kind} ${body < 0}` : geometry;
        if (!groups.has(key)) groups.set(key, {kind: round ? {kind: kind.kind, numbers: [1]} : kind, shapes: []});
        groups.get(key).shapes.push(shape);
      } else {
        this.addGround(kind, shape);
      }
      if (shape.body >= 0) {
        this.radii[shape.body] = Math.max(this.radii[shape.body], Math.hypot(...shape.position) + kind.size);
      }
    }
    for (const {kind, shapes} of groups.values()) {
      const geometry = geometryOf[kind.kind](kind, shapes.length < 300);
      const ground = shapes.every(s => s.body < 0);
      const material = tintedMaterial(ground ? {transparent: true, opacity: this.plane ? 1 : 0.3, depthWrite: this.plane, side: THREE.DoubleSide} : {});
      const mesh = instances(geometry, shapes.length, material);
      mesh.castShadow = this.shadows && !ground;
      mesh.receiveShadow = this.shadows;
      this.world.add(mesh);
      this.sets.push({mesh, shapes, ground});
    }
  }

  addGround(kind, shape) {
    const size = 4 * this.radius;
    const material = new THREE.MeshStandardMaterial({color: 0xb9c2cc, roughness: 0.95, metalness: 0, side: THREE.DoubleSide, transparent: true, opacity: 0.55, depthWrite: false});
    if (kind.kind === 'halfspace') {
      const n = new THREE.Vector3(...kind.numbers.slice(0, 3)), plane = new THREE.Mesh(new THREE.PlaneBufferGeometry(size, size), material);
      plane.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), n);
      const foot = this.centre.clone().addScaledVector(n, kind.numbers[3] + n.dot(new THREE.Vector3(...shape.position)) - n.dot(this.centre));
      plane.position.copy(foot).addScaledVector(n, -1e-3 * this.radius);
      plane.receiveShadow = this.shadows;
      const floor = n.z > 0.7;
      material.opacity = floor ? 0.75 : 0.06;
      this.addUnbounded(plane, shape);
      if (floor) {
        this.grid = new THREE.GridHelper(size, 40, 0x8894a2, 0x8894a2);
        this.grid.material.transparent = true;
        this.grid.material.opacity = 0.25;
        this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), n);
        this.grid.position.copy(foot);
        this.addUnbounded(this.grid, shape);
      }
    } else if (kind.kind === 'halfplane') {
      const n = kind.numbers, foot = [this.centre.x, this.centre.y];
      const way = n[2] + n[0] * (shape.position[0] - foot[0]) + n[1] * (shape.position[1] - foot[1]);
      const p = [foot[0] + way * n[0], foot[1] + way * n[1]], t = [-n[1], n[0]];
      const corners = [[1, 0], [-1, 0], [-1, -1], [1, -1]].map(([a, b]) => new THREE.Vector2(...[0, 1].map(i => p[i] + size * (a * t[i] + b * n[i]))));
      this.addSolid(new THREE.ShapeBufferGeometry(new THREE.Shape(corners)), material, shape);
    } else if (kind.kind === 'heightline') {
      const points = outline(kind.points).map(p => [p[0] + shape.position[0], p[1] + shape.position[1]]), first = points[0], last = points[points.length - 1], low = this.centre.y - size;
      const on = (a, b, x) => b[1] + (b[1] - a[1]) / (b[0] - a[0]) * (x - b[0]);
      const left = this.centre.x - size, right = this.centre.x + size, line = points.slice();
      if (left < first[0]) line.unshift([left, on(points[1], first, left)]);
      if (right > last[0]) line.push([right, on(points[points.length - 2], last, right)]);
      this.addSolid(below(line, low), material, shape);
    }
  }
  setTheme(dark) {
    for (const {object} of this.grounds) {
      if (object !== this.grid) object.material.color.setHex(dark ? 0x3d4753 : this.plane ? 0xc4ccd5 : 0xaab3bd);
    }
    this.dirty = true;
  }
  addUnbounded(object, shape) {
    this.grounds.push({object, shape});
    this.world.add(object);
  }
  addSolid(geometry, material, shape) {
    material.opacity = 0.9;
    const solid = new THREE.Mesh(geometry, material);
    solid.position.z = -0.05 * this.radius;
    this.addUnbounded(solid, shape);
  }

  addForces() {
    if (!this.contacts.any) return;
    const middle = this.middleRadius();
    this.longest = Math.min(0.22 * this.radius, middle > 0 ? 6 * middle : Infinity);  // an arrow; a wide scene has small bodies
    let most = 0;
    for (let f = 0; f < this.scene.frames; ++f) most = Math.max(most, this.contacts.end(f) - this.contacts.begin(f));
    // In a plane they lie in the bodies and are drawn over them.
    this.arrows = instances(arrowGeometry(), most, tintedMaterial({roughness: 0.4, transparent: this.plane, depthTest: !this.plane}));
    this.chains = instances(rodGeometry(), 2 * most, tintedMaterial({roughness: 0.6}));
    this.arrows.visible = this.chains.visible = false;
    for (const set of [this.arrows, this.chains]) set.renderOrder = 2;
    this.world.add(this.arrows, this.chains);
  }

  show(kind, on) {
    if (this[kind]) this[kind].visible = on;
    this.translucent = Boolean(this.chains && this.chains.visible);
    for (const set of this.sets) {
      if (set.ground) continue;
      set.mesh.material.transparent = this.translucent;
      set.mesh.material.opacity = this.translucent ? (this.plane ? 0.5 : 0.18) : 1;
      set.mesh.material.depthWrite = !this.translucent;
    }
    this.dirty = true;
  }

  // Matrices and tints of the motion as it stands.
  place(frame, groundTint) {
    const {position, orientation} = this.motion, p = [0, 0, 0], q = [0, 0, 0, 1], gone = [0, 0, 0];
    for (const set of this.sets) {
      const m = set.mesh.instanceMatrix.array, tint = set.mesh.geometry.attributes.tint.array;
      for (let k = 0; k < set.shapes.length; ++k) {
        const shape = set.shapes[k], b = shape.body;
        const here = frame >= shape.from && frame < shape.to && (b < 0 || this.motion.there[b] > 0);
        if (shape.still && here) {  // round, about the body's origin: it only moves
          for (let i = 0; i < 3; ++i) m[16 * k + 12 + i] = position[3 * b + i];
          for (let i = 0; i < 3; ++i) tint[3 * k + i] = b === this.picked ? (i === 0 ? 1 : 0.25) : this.tints[3 * b + i];
          if (m[16 * k + 15] === 1 && m[16 * k] !== 0) continue;
        }
        if (b < 0) {
          writeMatrix(m, 16 * k, shape.position, shape.orientation, here ? shape.scale : gone);
          for (let i = 0; i < 3; ++i) tint[3 * k + i] = groundTint[i];
          continue;
        }
        this.carry(shape, position, orientation, b, p, q);
        writeMatrix(m, 16 * k, p, q, here ? shape.scale : gone);
        for (let i = 0; i < 3; ++i) tint[3 * k + i] = b === this.picked ? (i === 0 ? 1 : 0.25) : this.tints[3 * b + i];
      }
      set.mesh.instanceMatrix.needsUpdate = true;
      set.mesh.geometry.attributes.tint.needsUpdate = true;
    }
    for (const {object, shape} of this.grounds) object.visible = frame >= shape.from && frame < shape.to;
    if (this.arrows && this.arrows.visible) this.placeArrows(frame);
    if (this.chains && this.chains.visible) this.placeChains(frame);
    this.dirty = true;
  }

  carry(shape, position, orientation, b, p, q) {
    const x = orientation[4 * b], y = orientation[4 * b + 1], z = orientation[4 * b + 2], w = orientation[4 * b + 3];
    const turn = shape.orientation, place = shape.position, a = turn[0], c = turn[1], d = turn[2], e = turn[3];
    const u = place[0], v = place[1], r = place[2];
    q[0] = w * a + x * e + y * d - z * c;
    q[1] = w * c + y * e + z * a - x * d;
    q[2] = w * d + z * e + x * c - y * a;
    q[3] = w * e - x * a - y * c - z * d;
    const i = w * u + y * r - z * v, j = w * v + z * u - x * r, k = w * r + x * v - y * u, l = -x * u - y * v - z * r;
    p[0] = position[3 * b] + i * w - l * x - j * z + k * y;
    p[1] = position[3 * b + 1] + j * w - l * y - k * x + i * z;
    p[2] = position[3 * b + 2] + k * w - l * z - i * y + j * x;
  }

  placeArrows(frame) {
    const set = this.arrows, m = set.instanceMatrix.array, tint = set.geometry.attributes.tint.array;
    const v = [0, 0, 0, 0, 0, 0], q = [0, 0, 0, 1], d = [0, 0, 0];
    let k = 0;
    for (let c = this.contacts.begin(frame); c < this.contacts.end(frame); ++c) {
      this.contacts.read(c, v);
      const size = Math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
      if (!(size > 0)) continue;
      for (let i = 0; i < 3; ++i) d[i] = v[3 + i] / size;
      turnOfAxis(d, q);
      const share = Math.sqrt(size / this.contacts.typical), length = this.longest * Math.min(1.6, share);
      writeMatrix(m, 16 * k, v, q, [length, length, length]);
      rampColour(share, tint, 3 * k);
      ++k;
    }
    this.finish(set, k);
  }

  // A rod from the contact to the middle of each of its bodies, as thick as the force is large.
  placeChains(frame) {
    const set = this.chains, m = set.instanceMatrix.array, tint = set.geometry.attributes.tint.array, {position} = this.motion;
    const v = [0, 0, 0, 0, 0, 0], q = [0, 0, 0, 1], d = [0, 0, 0];
    let k = 0;
    for (let c = this.contacts.begin(frame); c < this.contacts.end(frame); ++c) {
      this.contacts.read(c, v);
      const size = Math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]), share = Math.sqrt(Math.min(1, size / this.contacts.typical));
      if (!(size > 0)) continue;
      for (let side = 0; side < 2; ++side) {
        const b = this.contacts.pair[2 * c + side] - 1;
        if (b < 0) continue;
        let length = 0;
        for (let i = 0; i < 3; ++i) {
          d[i] = position[3 * b + i] - v[i];
          length += d[i] * d[i];
        }
        length = Math.sqrt(length);
        if (!(length > 0)) continue;
        for (let i = 0; i < 3; ++i) d[i] /= length;
        turnOfAxis(d, q);
        const thick = 0.22 * (this.radii[b] || 0.02 * this.radius) * share;
        writeMatrix(m, 16 * k, v, q, [thick, thick, length]);
        rampColour(share, tint, 3 * k);
        ++k;
      }
    }
    this.finish(set, k);
  }
  finish(set, count) {
    set.count = count;
    set.instanceMatrix.needsUpdate = true;
    set.geometry.attributes.tint.needsUpdate = true;
  }

  // The body whose ball the ray through (x, y) of the canvas meets first; else the one that is nearest to the ray, a few
  // pixels off; -1: none.
  pick(x, y) {
    const FEW = 6;
    const box = this.canvas.getBoundingClientRect(), ray = new THREE.Raycaster();
    ray.setFromCamera({x: 2 * (x - box.left) / box.width - 1, y: 1 - 2 * (y - box.top) / box.height}, this.orbit.camera);
    const o = ray.ray.origin, d = ray.ray.direction, {position} = this.motion;
    let best = Infinity, found = -1, nearest = Infinity, near = -1;
    for (let b = 0; b < this.radii.length; ++b) {
      const r = this.radii[b];
      if (!(r > 0) || !this.motion.there[b]) continue;
      const c = [position[3 * b] - o.x, position[3 * b + 1] - o.y, position[3 * b + 2] - o.z];
      const along = c[0] * d.x + c[1] * d.y + c[2] * d.z;
      const off = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] - along * along;
      if (!(along > 0)) continue;
      if (off > r * r) {
        const pixels = (Math.sqrt(off) - r) / this.pixel(along, box.height);
        if (pixels < FEW && pixels < nearest) {
          nearest = pixels;
          near = b;
        }
        continue;
      }
      const distance = this.plane ? off : along - Math.sqrt(r * r - off);
      if (distance < best) {
        best = distance;
        found = b;
      }
    }
    return found >= 0 ? found : near;
  }
  // The size of a pixel at that depth [m].
  pixel(depth, height) {
    const camera = this.orbit.camera;
    if (camera.isOrthographicCamera) return (camera.top - camera.bottom) / (camera.zoom * height);
    return 2 * depth * Math.tan(camera.fov * Math.PI / 360) / (camera.zoom * height);
  }

  resize() {
    const w = this.canvas.parentElement.clientWidth, h = this.canvas.parentElement.clientHeight;
    if (!(w > 0 && h > 0)) return;
    this.renderer.setSize(w, h, false);
    if (this.orbit.size) this.orbit.resize(w / h);
    else this.open();
    this.dirty = true;
  }
  whole() {
    const w = this.canvas.parentElement.clientWidth, h = this.canvas.parentElement.clientHeight;
    this.orbit.look(this.centre, this.radius, this.radii.reduce((least, r) => r > 0 ? Math.min(least, r) : least, Infinity), w / h);
  }
  // Of the bodies that have shapes, the median of the radii; undefined where none has any.
  middleRadius() {
    const radii = this.radii.filter(r => r > 0).sort();
    return radii[radii.length >> 1];
  }
  // Of a plane with a thousand bodies and more, which are dots in the whole of it, the middle is seen first.
  open() {
    const MANY = 1000, DOT = 4, SEEN = 40;  // bodies, and across [pixels]
    this.whole();
    const across = 2 * this.middleRadius() / this.pixel(1, this.canvas.parentElement.clientHeight);
    if (!this.plane || this.radii.filter(r => r > 0).length < MANY || across >= DOT) return;
    this.motion.moveTo(0, 0);
    const {position} = this.motion, off = b => Math.hypot(position[3 * b] - this.centre.x, position[3 * b + 1] - this.centre.y);
    let middle = -1;
    for (let b = 0; b < this.radii.length; ++b) {
      if (this.radii[b] > 0 && this.motion.there[b] && (middle < 0 || off(b) < off(middle))) middle = b;
    }
    if (middle >= 0) this.orbit.target.set(position[3 * middle], position[3 * middle + 1], 0);
    this.orbit.zoom(across / SEEN);
  }
  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    this.renderer.render(this.world, this.orbit.camera);
    return true;
  }
}
