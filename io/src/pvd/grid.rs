//! One frame as an unstructured grid, `.vtu`.

use crate::frames::Header;
use crate::parts::{Cells, cells, tetrahedra};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::{self, Write};

/// Bytes that are deflated together.
const BLOCK: usize = 1 << 18;

/// Kinds of cells, by VTK's numbers. A kind with more corners is one more line here.
#[derive(Clone, Copy, Debug)]
pub(super) enum CellKind {
    Vertex = 1,
    Line = 3,
    Triangle = 5,
    Tetrahedron = 10,
}

/// Numbers of points, little-endian.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointArray<'a> {
    pub(super) name: &'static str,
    pub(super) numbers: VtkArray<'a>,
}

/// Bytes, and what they are.
#[derive(Clone, Copy, Debug)]
pub(super) enum VtkArray<'a> {
    Vectors(&'a [u8]),
    Floats(&'a [u8]),
    Words(&'a [u8]),
}

/// What all frames have in common, as it stands in their files.
#[derive(Debug)]
pub(super) struct FrameGrid {
    vertices: usize,
    cells: usize,
    bodies: String,
    connectivity: String,
    offsets: String,
    types: String,
    origin: [f64; 3],
}

/// Cells one after another, as VTK has them.
#[derive(Default)]
pub(super) struct Arrays {
    connectivity: Vec<u8>,
    offsets: Vec<u8>,
    types: Vec<u8>,
    bodies: Vec<u8>,
    corners: i64,
    origin: [f64; 3],
}

impl Arrays {
    /// None yet, of a scene with its zero there.
    pub(super) fn at(origin: [f64; 3]) -> Self {
        Self { origin, ..Self::default() }
    }

    pub(super) fn push<const N: usize>(&mut self, body: u32, first: u32, kind: CellKind, corners: &[[u32; N]]) {
        for cell in corners {
            self.connectivity.extend(cell.iter().flat_map(|&v| i64::from(first + v).to_le_bytes()));
            self.corners += N as i64;
            self.offsets.extend(self.corners.to_le_bytes());
            self.types.push(kind as u8);
            self.bodies.extend(body.to_le_bytes());
        }
    }

    /// The grid of these cells, with so many vertices.
    pub(super) fn grid(self, vertices: usize) -> io::Result<FrameGrid> {
        Ok(FrameGrid {
            vertices,
            cells: self.types.len(),
            bodies: encoded(&self.bodies)?,
            connectivity: encoded(&self.connectivity)?,
            offsets: encoded(&self.offsets)?,
            types: encoded(&self.types)?,
            origin: self.origin,
        })
    }
}

impl FrameGrid {
    /// Bytes that each frame has of it.
    pub(super) fn bytes(&self) -> u64 {
        [&self.bodies, &self.connectivity, &self.offsets, &self.types].iter().map(|text| text.len() as u64).sum()
    }

    /// Of all bodies but fluids, which are a part of their own; without a vertex none.
    pub(super) fn new(header: &Header) -> io::Result<Option<Self>> {
        let (mut arrays, mut left_out) = (Arrays::at(header.origin), 0);
        let kinds = cells(header).into_iter().zip(tetrahedra(header));
        for ((number, body), (cells, tets)) in (0..).zip(&header.bodies).zip(kinds) {
            if body.fluid.is_some() {
                left_out += body.count;
                continue;
            }
            let first = body.first - left_out;
            arrays.push(number, first, CellKind::Tetrahedron, &tets);
            match cells {
                _ if !tets.is_empty() => {}
                Cells::Triangles(triangles) => arrays.push(number, first, CellKind::Triangle, &triangles),
                Cells::Lines(lines) => arrays.push(number, first, CellKind::Line, &lines),
                Cells::Points => {
                    let points: Vec<_> = (0..body.count).map(|v| [v]).collect();
                    arrays.push(number, first, CellKind::Vertex, &points);
                }
            }
        }
        let vertices = header.inv_mass.len() - left_out as usize;
        if left_out > 0 && vertices == 0 {
            return Ok(None);
        }
        arrays.grid(vertices).map(Some)
    }

    /// Writes a frame; positions are little-endian f32, relative to the origin. Where that is not zero, f64 are written.
    pub(super) fn write(
        &self,
        out: impl Write,
        time: f64,
        positions: &[u8],
        point_data: &[PointArray<'_>],
    ) -> io::Result<()> {
        let (points, cells) = (self.vertices.to_string(), self.cells.to_string());
        let mut xml = Writer::new_with_indent(out, b' ', 2);
        xml.write_event(Event::Decl(BytesDecl::new("1.0", None, None)))?;
        let file = xml.create_element("VTKFile").with_attributes([
            ("type", "UnstructuredGrid"),
            ("version", "1.0"),
            ("byte_order", "LittleEndian"),
            ("header_type", "UInt64"),
            ("compressor", "vtkZLibDataCompressor"),
        ]);
        file.write_inner_content(|xml| {
            xml.create_element("UnstructuredGrid").write_inner_content(|xml| {
                xml.create_element("FieldData").write_inner_content(|xml| {
                    let size = ("NumberOfTuples", "1");
                    array(xml, "Float64", "TimeValue", Some(size), &encoded(&time.to_le_bytes())?)
                })?;
                let piece = xml.create_element("Piece");
                let sizes = [("NumberOfPoints", points.as_str()), ("NumberOfCells", cells.as_str())];
                piece.with_attributes(sizes).write_inner_content(|xml| {
                    let three = Some(("NumberOfComponents", "3"));
                    if !point_data.is_empty() {
                        let data = xml.create_element("PointData").with_attribute(("Vectors", "velocity"));
                        data.write_inner_content(|xml| {
                            point_data.iter().try_for_each(|&PointArray { name, numbers }| match numbers {
                                VtkArray::Vectors(bytes) => array(xml, "Float32", name, three, &encoded(bytes)?),
                                VtkArray::Floats(bytes) => array(xml, "Float32", name, None, &encoded(bytes)?),
                                VtkArray::Words(bytes) => array(xml, "UInt32", name, None, &encoded(bytes)?),
                            })
                        })?;
                    }
                    let data = xml.create_element("CellData").with_attribute(("Scalars", "body"));
                    data.write_inner_content(|xml| array(xml, "UInt32", "body", None, &self.bodies))?;
                    let data = xml.create_element("Points");
                    data.write_inner_content(|xml| match self.origin {
                        [0.0, 0.0, 0.0] => array(xml, "Float32", "Points", three, &encoded(positions)?),
                        origin => array(xml, "Float64", "Points", three, &encoded(&in_world(positions, origin))?),
                    })?;
                    xml.create_element("Cells").write_inner_content(|xml| {
                        array(xml, "Int64", "connectivity", None, &self.connectivity)?;
                        array(xml, "Int64", "offsets", None, &self.offsets)?;
                        array(xml, "UInt8", "types", None, &self.types)
                    })?;
                    Ok(())
                })?;
                Ok(())
            })?;
            Ok(())
        })?;
        xml.into_inner().write_all(b"\n")
    }
}

/// Positions with the origin added, little-endian f64.
fn in_world(positions: &[u8], origin: [f64; 3]) -> Vec<u8> {
    let local = positions.as_chunks().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
    local.zip(origin.into_iter().cycle()).flat_map(|(x, origin)| (origin + x).to_le_bytes()).collect()
}

fn array(
    xml: &mut Writer<impl Write>,
    type_: &str,
    name: &str,
    size: Option<(&str, &str)>,
    data: &str,
) -> io::Result<()> {
    let element =
        xml.create_element("DataArray").with_attributes([("type", type_), ("Name", name), ("format", "binary")]);
    // Base64 has none of the characters that would have to be escaped.
    element.with_attributes(size).write_text_content(BytesText::from_escaped(data)).map(drop)
}

/// In blocks, each deflated: their number, the size of one, the size of the last if that is less, each one's deflated
/// size.
fn encoded(bytes: &[u8]) -> io::Result<String> {
    let (mut sizes, mut deflated) = (Vec::new(), Vec::new());
    for block in bytes.chunks(BLOCK) {
        let before = deflated.len();
        let mut encoder = ZlibEncoder::new(&mut deflated, Compression::new(4));
        encoder.write_all(block)?;
        encoder.finish()?;
        sizes.push((deflated.len() - before) as u64);
    }
    let head = [sizes.len() as u64, BLOCK as u64, (bytes.len() % BLOCK) as u64];
    let head: Vec<u8> = head.iter().chain(&sizes).flat_map(|n| n.to_le_bytes()).collect();
    Ok(STANDARD.encode(head) + &STANDARD.encode(deflated))
}
