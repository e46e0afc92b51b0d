// Geometries of shapes, each about its own origin, of arrows and of rods.

function prism(points, low, high) {  // a convex polygon of the plane, with a thickness
  const shape = new THREE.Shape(points.map(p => new THREE.Vector2(p[0], p[1])));
  const solid = new THREE.ExtrudeBufferGeometry(shape, {depth: high - low, bevelEnabled: false});
  solid.translate(0, 0, low);
  return solid;
}

function rounded(points, rounding) {  // a convex polygon and what is within `rounding` of it, as a polygon
  if (!(rounding > 0)) return points;
  const out = [], n = points.length;
  for (let i = 0; i < n; ++i) {
    const a = points[(i + n - 1) % n], b = points[i], c = points[(i + 1) % n];
    const from = Math.atan2(-(b[0] - a[0]), b[1] - a[1]);
    let to = Math.atan2(-(c[0] - b[0]), c[1] - b[1]);
    while (to < from) to += 2 * Math.PI;
    const parts = Math.max(1, Math.ceil((to - from) / 0.4));
    for (let k = 0; k <= parts; ++k) {
      const angle = from + (to - from) * k / parts;
      out.push([b[0] + rounding * Math.cos(angle), b[1] + rounding * Math.sin(angle)]);
    }
  }
  return out;
}

function triangles(vertices, faces, flat) {
  const mesh = new THREE.BufferGeometry();
  mesh.setAttribute('position', new THREE.BufferAttribute(new Float32Array(vertices), 3));
  mesh.setIndex(faces);
  const sharp = flat ? mesh.toNonIndexed() : mesh;
  sharp.computeVertexNormals();
  return sharp;
}

function below(line, low) {  // what is between a line of ascending x and a height below it
  const vertices = [], faces = [];
  line.forEach(([x, y], k) => {
    vertices.push(x, y, 0, x, low, 0);
    if (k > 0) faces.push(2 * k - 2, 2 * k - 1, 2 * k, 2 * k, 2 * k - 1, 2 * k + 1);
  });
  return triangles(vertices, faces, false);
}

function merged(parts) {
  const lists = parts.map(p => (p.index ? p.toNonIndexed() : p)), out = new THREE.BufferGeometry();
  for (const name of ['position', 'normal']) {
    let size = 0;
    for (const p of lists) size += p.attributes[name].array.length;
    const all = new Float32Array(size);
    let at = 0;
    for (const p of lists) {
      all.set(p.attributes[name].array, at);
      at += p.attributes[name].array.length;
    }
    out.setAttribute(name, new THREE.BufferAttribute(all, 3));
  }
  return out;
}

// z is the axis of cylinders, cones and capsules here; three.js has y.
function upright(geometry) {
  geometry.rotateX(Math.PI / 2);
  return geometry;
}

// By kind, of {numbers, points, triangles, size} as SceneGeometry has them; `fine`: few of them are drawn.
const geometryOf = {
  mark: s => new THREE.OctahedronBufferGeometry(s.size, 0),
  sphere: (s, fine) => new THREE.SphereBufferGeometry(s.numbers[0], fine ? 32 : 14, fine ? 20 : 9),
  box: s => new THREE.BoxBufferGeometry(2 * s.numbers[0], 2 * s.numbers[1], 2 * s.numbers[2]),
  cylinder: s => upright(new THREE.CylinderBufferGeometry(s.numbers[0], s.numbers[0], 2 * s.numbers[1], 36)),
  cone: s => {
    const [radius, height, top] = s.numbers, cone = upright(new THREE.CylinderBufferGeometry(top, radius, height, 36));
    cone.translate(0, 0, height / 2);
    return cone;
  },
  capsule: s => {
    const [radius, half] = s.numbers;
    const top = new THREE.SphereBufferGeometry(radius, 24, 9, 0, 2 * Math.PI, 0, Math.PI / 2);
    top.translate(0, half, 0);
    const low = new THREE.SphereBufferGeometry(radius, 24, 9, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2);
    low.translate(0, -half, 0);
    return upright(merged([top, low, new THREE.CylinderBufferGeometry(radius, radius, 2 * half, 24, 1, true)]));
  },
  mesh: s => triangles(s.points, s.triangles, true),
  disk: (s, fine) => (fine ? drilled(s.numbers[0]) : upright(new THREE.CylinderBufferGeometry(s.numbers[0], s.numbers[0], 0.3 * s.numbers[0], 20))),
  polygon: s => prism(rounded(outline(s.points), s.numbers[0]), -0.1 * s.size, 0.1 * s.size),
  segment: s => {
    const [a, b] = outline(s.points), length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const half = Math.max(s.numbers[0], 0.01 * length), n = [-(b[1] - a[1]) / length * half, (b[0] - a[0]) / length * half];
    if (s.numbers[0] > 0) return prism(rounded([a, b], s.numbers[0]), -half, half);
    return prism([[a[0] - n[0], a[1] - n[1]], [b[0] - n[0], b[1] - n[1]], [b[0] + n[0], b[1] + n[1]], [a[0] + n[0], a[1] + n[1]]], -half, half);
  },
};

function drilled(radius) {  // a disk with a hole, by which its turn is seen
  const shape = new THREE.Shape(), hole = new THREE.Path(), thick = 0.3 * radius;
  shape.absarc(0, 0, radius, 0, 2 * Math.PI, false);
  hole.absarc(0.62 * radius, 0, 0.13 * radius, 0, 2 * Math.PI, true);
  shape.holes.push(hole);
  const solid = new THREE.ExtrudeBufferGeometry(shape, {depth: thick, bevelEnabled: false, curveSegments: 48});
  solid.translate(0, 0, -thick / 2);
  return solid;
}

function outline(points) {  // [x, y] of each point (x, y, 0)
  const out = [];
  for (let i = 0; i < points.length; i += 3) out.push([points[i], points[i + 1]]);
  return out;
}

function arrowGeometry() {  // of length 1 along z
  const shaft = new THREE.CylinderBufferGeometry(0.03, 0.03, 0.78, 10);
  shaft.translate(0, 0.39, 0);
  const head = new THREE.ConeBufferGeometry(0.085, 0.22, 14);
  head.translate(0, 0.89, 0);
  return upright(merged([shaft, head]));
}

function rodGeometry() {  // of length 1 along z, radius 1
  const rod = new THREE.CylinderBufferGeometry(1, 1, 1, 8, 1, true);
  rod.translate(0, 0.5, 0);
  return upright(rod);
}
