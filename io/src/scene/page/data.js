// Arrays of the run: one zlib stream in base64. An array of 16 or 8 bits is stored as differences with the frame
// before (stride numbers a frame), zigzag coded, all low bytes before all high ones.

function bytesOfBase64(text) {
  const clean = text.trim(), step = 1 << 20, parts = [];
  let size = 0;
  for (let i = 0; i < clean.length; i += step) {
    const raw = atob(clean.slice(i, i + step)), part = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; ++k) part[k] = raw.charCodeAt(k);
    parts.push(part);
    size += part.length;
  }
  return new Blob(parts);
}

async function inflate(blob) {
  const stream = blob.stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

function decodeDifferences(bytes, count, stride) {
  const values = new Uint16Array(count);
  for (let i = 0; i < count; ++i) {
    const coded = bytes[i] | (bytes[i + count] << 8);
    values[i] = ((coded >>> 1) ^ -(coded & 1)) + (i >= stride ? values[i - stride] : 0);
  }
  return values;
}

function decodeByteDifferences(bytes, count, stride) {
  const values = new Uint8Array(count);
  for (let i = 0; i < count; ++i) values[i] = ((bytes[i] >>> 1) ^ -(bytes[i] & 1)) + (i >= stride ? values[i - stride] : 0);
  return values;
}

// {name: typed array} of what `arrays` ({name, type, offset, count, stride}) says.
async function readArrays(arrays, element) {
  const found = {};
  if (!arrays.length) return found;
  const buffer = await inflate(bytesOfBase64(element.textContent));
  element.textContent = '';
  for (const a of arrays) {
    if (a.type === 'd16') found[a.name] = decodeDifferences(new Uint8Array(buffer, a.offset, 2 * a.count), a.count, a.stride);
    else if (a.type === 'd8') found[a.name] = decodeByteDifferences(new Uint8Array(buffer, a.offset, a.count), a.count, a.stride);
    else if (a.type === 'f64') found[a.name] = new Float64Array(buffer, a.offset, a.count);
    else if (a.type === 'f32') found[a.name] = new Float32Array(buffer, a.offset, a.count);
    else if (a.type === 'u32') found[a.name] = new Uint32Array(buffer, a.offset, a.count);
    else found[a.name] = new Uint16Array(buffer, a.offset, a.count);
  }
  return found;
}
