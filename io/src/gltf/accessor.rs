//! Elements of accessors: every range is checked here before a byte is read, and nothing is allocated that the file
//! does not hold.

use super::buffers::Buffers;
use super::index::get;
use ::gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, IndexComponentType, Type};
use ::gltf::json::buffer::View;
use ::gltf::json::validation::Checked;
use ::gltf::json::{Index, Root};

/// Reads accessors of one file.
#[derive(Clone, Copy)]
pub(super) struct Accessors<'a> {
    pub(super) root: &'a Root,
    pub(super) buffers: &'a Buffers<'a>,
}

/// Elements one after another in bytes.
struct AccessorBytes<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> AccessorBytes<'a> {
    /// `count` elements of `size` bytes from `offset` on, all of them inside.
    fn new(bytes: &'a [u8], offset: u64, stride: usize, size: usize, count: u64) -> Result<Self, String> {
        let last = count.saturating_sub(1).checked_mul(stride as u64);
        let end = last.and_then(|last| last.checked_add(offset)?.checked_add(size as u64)).unwrap_or(u64::MAX);
        let has = bytes.len();
        if count > 0 && end > has as u64 {
            return Err(format!(
                "{count} elements of {size} bytes, {stride} apart, from {offset} on; there are {has} bytes"
            ));
        }
        let bytes = if count > 0 { &bytes[offset as usize..] } else { &[] };
        Ok(Self { bytes, stride, size })
    }

    fn get(&self, i: usize) -> &'a [u8] {
        &self.bytes[i * self.stride..][..self.size]
    }
}

impl<'a> Accessors<'a> {
    /// Number of elements, as it says; its bytes are looked for when it is read.
    pub(super) fn count(&self, index: Index<Accessor>) -> Result<u64, String> {
        Ok(get(&self.root.accessors, index, "accessor")?.count.0)
    }

    /// Vectors of numbers.
    pub(super) fn vectors<const N: usize>(&self, index: Index<Accessor>, type_: Type) -> Result<Vec<[f32; N]>, String> {
        let normalized = get(&self.root.accessors, index, "accessor")?.normalized;
        self.elements(index, type_, |bytes, component| {
            let mut numbers = [0.0; N];
            for (x, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(component.size())) {
                *x = number(bytes, component, normalized);
            }
            numbers
        })
    }

    /// Whole numbers without a sign.
    pub(super) fn indices(&self, index: Index<Accessor>) -> Result<Vec<u32>, String> {
        let component = component(get(&self.root.accessors, index, "accessor")?)?;
        if !matches!(component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32) {
            return Err(format!("accessor {index}: indices are whole numbers and not {component:?}"));
        }
        self.elements(index, Type::Scalar, whole)
    }

    /// Whether they are numbers that positions may have: of four bytes with a point, or, if the file says that it uses
    /// `KHR_mesh_quantization`, of one or two.
    pub(super) fn position(&self, index: Index<Accessor>) -> Result<(), String> {
        let component = component(get(&self.root.accessors, index, "accessor")?)?;
        let said = [&self.root.extensions_used, &self.root.extensions_required];
        let small = said.into_iter().flatten().any(|name| name == "KHR_mesh_quantization");
        if component == ComponentType::F32 || small && component != ComponentType::U32 {
            return Ok(());
        }
        let number = component.as_gl_enum();
        Err(format!("accessor {index}: POSITION is {component:?} ({number}), which is not F32 (5126)"))
    }

    fn elements<T>(
        &self,
        index: Index<Accessor>,
        type_: Type,
        read: impl Fn(&[u8], ComponentType) -> T,
    ) -> Result<Vec<T>, String> {
        let accessor = get(&self.root.accessors, index, "accessor")?;
        let all = || {
            if !matches!(&accessor.type_, Checked::Valid(t) if *t == type_) {
                return Err(format!("is no {type_:?}"));
            }
            let component = component(accessor)?;
            let size = component.size() * type_.multiplicity();
            let view = accessor.buffer_view.ok_or("has no bufferView; export the mesh with its data")?;
            let elements = self.at(view, accessor.byte_offset.unwrap_or_default().0, size, accessor.count.0)?;
            let mut all: Vec<T> = (0..accessor.count.0 as usize).map(|i| read(elements.get(i), component)).collect();
            if let Some(sparse) = &accessor.sparse {
                let Checked::Valid(IndexComponentType(kind)) = sparse.indices.component_type else {
                    return Err("sparse: unknown type of indices".to_owned());
                };
                let of = |what: String| format!("sparse: {what}");
                if sparse.count.0 > accessor.count.0 {
                    let (many, count) = (sparse.count.0, accessor.count.0);
                    return Err(of(format!("a count of {many}, which is above the accessor's {count}")));
                }
                let (ids, values) = (&sparse.indices, &sparse.values);
                let ids = self.at(ids.buffer_view, ids.byte_offset.0, kind.size(), sparse.count.0).map_err(of)?;
                let values = self.at(values.buffer_view, values.byte_offset.0, size, sparse.count.0).map_err(of)?;
                for i in 0..sparse.count.0 as usize {
                    let (id, count) = (whole(ids.get(i), kind), all.len());
                    let place = all.get_mut(id as usize);
                    *place.ok_or_else(|| of(format!("names element {id}; there are {count}")))? =
                        read(values.get(i), component);
                }
            }
            Ok(all)
        };
        all().map_err(|what| format!("accessor {index}: {what}"))
    }

    fn at(&self, view: Index<View>, offset: u64, size: usize, count: u64) -> Result<AccessorBytes<'a>, String> {
        let (bytes, stride) = self.buffers.view(view)?;
        // Nearer than this, and a few bytes would make many elements.
        if let Some(stride) = stride.filter(|stride| !(4..=252).contains(stride)) {
            return Err(format!("bufferView {view}: a byteStride of {stride}, which is not within 4..=252"));
        }
        AccessorBytes::new(bytes, offset, stride.unwrap_or(size), size, count)
    }
}

fn component(accessor: &Accessor) -> Result<ComponentType, String> {
    match accessor.component_type {
        Checked::Valid(GenericComponentType(component)) => Ok(component),
        Checked::Invalid => Err("an unknown componentType".to_owned()),
    }
}

fn whole(bytes: &[u8], component: ComponentType) -> u32 {
    match (component, bytes) {
        (ComponentType::U8, &[a, ..]) => a.into(),
        (ComponentType::U16, &[a, b, ..]) => u16::from_le_bytes([a, b]).into(),
        (_, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// A number as it stands, or of an integer that is normalised its part of the largest.
fn number(bytes: &[u8], component: ComponentType, normalized: bool) -> f32 {
    let (number, largest) = match (component, bytes) {
        (ComponentType::I8, &[a, ..]) => (f32::from(a as i8), 127.0),
        (ComponentType::U8, &[a, ..]) => (f32::from(a), 255.0),
        (ComponentType::I16, &[a, b, ..]) => (f32::from(i16::from_le_bytes([a, b])), 32767.0),
        (ComponentType::U16, &[a, b, ..]) => (f32::from(u16::from_le_bytes([a, b])), 65535.0),
        (ComponentType::U32, &[a, b, c, d, ..]) => (u32::from_le_bytes([a, b, c, d]) as f32, u32::MAX as f32),
        (ComponentType::F32, &[a, b, c, d, ..]) => return f32::from_le_bytes([a, b, c, d]),
        _ => return 0.0,
    };
    if !normalized {
        return number;
    }
    let part = number / largest;
    if part < -1.0 { -1.0 } else { part }
}
