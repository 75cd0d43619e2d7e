// Khronos' validator on each .glb file that is named: red where it has anything to say. Run by .ci/files.
const fs = require("fs");
const validator = require("gltf-validator");

async function main(files) {
  let red = false;
  for (const file of files) {
    const { issues, info } = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    // Texture coordinates are written for a texture that a user will choose.
    const known = (m) => m.code === "UNUSED_OBJECT" && m.pointer.endsWith("/TEXCOORD_0");
    const found = issues.messages.filter((m) => !known(m));
    console.log(`${file}: ${info.totalVertexCount} vertices, ${info.totalTriangleCount} triangles, ${found.length} issues`);
    for (const m of found) console.log(`  ${m.code} at ${m.pointer}: ${m.message}`);
    red ||= found.length > 0 || issues.truncated || info.animationCount !== 1 || !info.hasMorphTargets;
    if (file.endsWith("lid.glb") && (info.materialCount !== 2 || info.drawCallCount !== 2 || info.maxUVs !== 1)) {
      console.log("  the source's materials or texture coordinates are lost");
      red = true;
    }
    if (file.endsWith("seam.glb") && info.maxUVs !== 1) {
      console.log("  the source's texture coordinates are lost");
      red = true;
    }
  }
  process.exit(red || files.length === 0 ? 1 : 0);
}

main(process.argv.slice(2));
