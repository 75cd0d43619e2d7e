//! Obstacles by name, and what is attached to them.

use super::{Turn, above_zero, pins::check_path, turn};
use crate::body::Values;
use crate::collider::Motion;
use crate::filter::Filter;
use crate::mesh::Mesh;
use crate::obstacle::Frames;
use crate::pose::Pose;
use crate::recipe::{GridPins, Obstacle};
use crate::render::nearest::Tree;
use crate::scene::BodyId;
use crate::tether::Tether;
use serde::{Deserialize, Serialize};

/// A mesh that goes where it is taken: of a file, or a limb that bends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ObstacleSpec {
    /// Name, unique in the scene.
    pub name: String,
    /// Mesh file, relative to the scene file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Instead of a file: a limb.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limb: Option<LimbSpec>,
    /// Mesh files of the shapes that it takes after that of `mesh`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// Shapes a second.
    pub fps: f64,
    /// The first follows the last.
    pub repeat: bool,
    /// Metres.
    pub position: [f32; 3],
    /// Turn before it is moved.
    pub rotation: Turn,
    /// Factor before it is turned.
    pub scale: f32,
    /// The point about which the path turns, metres.
    pub about: [f64; 3],
    /// Path, in addition to the shapes.
    pub motion: Motion,
    /// Metres.
    pub thickness: f32,
    /// Coefficient.
    pub friction: f32,
    /// Groups that it is in, a bit each.
    pub groups: u32,
    /// Groups of bodies that it meets, a bit each.
    pub mask: u32,
}

/// A closed tube along x from the origin, of which the middle third bends upwards (to +y) and back again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimbSpec {
    /// Metres.
    pub radius: f32,
    /// Metres.
    pub length: f32,
    /// Vertices around, and rings along it.
    pub around: u32,
    /// Rings.
    pub along: u32,
    /// Degrees, at most.
    pub bend: f32,
    /// Seconds, there and back.
    pub period: f64,
}

/// Vertices of a body that go with an obstacle, or stay near it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttachSpec {
    /// The obstacle's name.
    pub to: String,
    /// Parts of a grid.
    pub pin: Vec<GridPins>,
    /// Vertices; all without these and `pin`.
    pub pin_vertices: Vec<u32>,
    /// Only those so near to the obstacle at the start, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<f32>,
    /// They may be so far from their points, metres; without this and `backstop` they are kept there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_distance: Option<f32>,
    /// How far behind its point each may come, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backstop: Option<f32>,
    /// Radius of the ball that is behind; a plane if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backstop_radius: Option<f32>,
}

impl Default for ObstacleSpec {
    fn default() -> Self {
        ObstacleSpec {
            name: String::new(),
            mesh: None,
            limb: None,
            frames: Vec::new(),
            fps: 30.0,
            repeat: false,
            position: [0.0; 3],
            rotation: Turn::default(),
            scale: 1.0,
            about: [0.0; 3],
            motion: Motion::Fixed,
            thickness: 0.0,
            friction: 0.5,
            groups: Filter::default().groups,
            mask: Filter::default().mask,
        }
    }
}

impl Default for LimbSpec {
    fn default() -> Self {
        LimbSpec { radius: 0.05, length: 0.6, around: 24, along: 40, bend: 90.0, period: 4.0 }
    }
}

/// Most vertices around a limb, and rings along it.
const MOST_RINGS: u32 = 4096;
/// Most vertices of a limb; each of its frames has as many.
const MOST_LIMB: u64 = 1 << 18;

impl LimbSpec {
    fn check(&self, of: &str) -> Result<(), String> {
        above_zero(of, "limb.radius", self.radius, " m")?;
        above_zero(of, "limb.length", self.length, " m")?;
        for (key, count) in [("around", self.around), ("along", self.along)] {
            if !(3..=MOST_RINGS).contains(&count) {
                return Err(format!("{of}: limb.{key} is {count}, which is not within 3 .. {MOST_RINGS}"));
            }
        }
        let count = u64::from(self.around) * u64::from(self.along);
        if count > MOST_LIMB {
            return Err(format!("{of}: limb.around x limb.along is {count}, which is more than {MOST_LIMB} vertices"));
        }
        if !(1e-3..=1e6).contains(&self.period) {
            return Err(format!("{of}: limb.period is {}, which is not within 0.001 .. 1e6 s", self.period));
        }
        // Beyond it the inner side goes through itself.
        let most = (f64::from(self.length) / 3.0 / f64::from(self.radius)).to_degrees().min(180.0);
        if !(0.0..most).contains(&f64::from(self.bend)) {
            return Err(format!("{of}: limb.bend is {}, which is not within 0 .. {most:.1} degrees", self.bend));
        }
        Ok(())
    }

    /// Its vertices, bent by an angle in radians.
    fn bent(&self, angle: f64) -> Vec<[f32; 3]> {
        let (length, radius) = (f64::from(self.length), f64::from(self.radius));
        let third = length / 3.0;
        // Where the axis is and how it is turned.
        let axis = |s: f64| {
            let turned = angle * ((s - third) / third).clamp(0.0, 1.0);
            let bow = if angle > 1e-9 { third / angle } else { 0.0 };
            let (sin, cos) = (libm::sin(turned), libm::cos(turned));
            let in_bow = if bow > 0.0 { [bow * sin, bow * (1.0 - cos)] } else { [(s - third).clamp(0.0, third), 0.0] };
            let before = if s < third { s } else { third };
            let behind = if s > 2.0 * third { s - 2.0 * third } else { 0.0 };
            ([before + in_bow[0] + behind * cos, in_bow[1] + behind * sin], [sin, cos])
        };
        let mut positions = Vec::new();
        for i in 0..self.along {
            let ([x, y], [sin, cos]) = axis(length * f64::from(i) / f64::from(self.along - 1));
            for j in 0..self.around {
                let around = f64::from(j) * std::f64::consts::TAU / f64::from(self.around);
                let (up, side) = (radius * libm::cos(around), radius * libm::sin(around));
                positions.push([x - up * sin, y + up * cos, side].map(|c| c as f32));
            }
        }
        // The middles of both ends, half a radius out.
        for (s, out) in [(0.0, -0.5), (length, 0.5)] {
            let ([x, y], [sin, cos]) = axis(s);
            positions.push([x + out * radius * cos, y + out * radius * sin, 0.0].map(|c| c as f32));
        }
        positions
    }

    /// Counter-clockwise seen from outside.
    fn triangles(&self) -> Vec<[u32; 3]> {
        let (n, rings) = (self.around, self.along);
        let at = |i: u32, j: u32| i * n + j % n;
        let mut triangles = Vec::new();
        for (i, j) in (0..rings - 1).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
        for j in 0..n {
            triangles.push([rings * n, at(0, j + 1), at(0, j)]);
            triangles.push([rings * n + 1, at(rings - 1, j), at(rings - 1, j + 1)]);
        }
        triangles
    }
}

/// An obstacle where it is at the start.
pub(super) struct Worn {
    pub(super) name: String,
    pub(super) id: BodyId,
    pub(super) mesh: Mesh,
}

impl ObstacleSpec {
    /// The obstacle, and its mesh at the start; `read` gets meshes of files.
    pub(super) fn build(
        &self,
        of: &str,
        mut read: impl FnMut(&str) -> Result<Mesh, String>,
    ) -> Result<(Obstacle, Mesh), String> {
        above_zero(of, "scale", self.scale, "")?;
        turn(of, "rotation", self.rotation.axis, self.rotation.degrees)?;
        check_path(of, &self.motion)?;
        let (mut mesh, mut shapes, mut rate) = match (&self.mesh, &self.limb) {
            (Some(_), Some(_)) => return Err(format!("{of}: give it `mesh` or `limb`, not both")),
            (None, None) => return Err(format!("{of}: it has no shape; give it `mesh` or `limb`")),
            (Some(file), None) => (read(file)?, Vec::new(), self.fps),
            (None, Some(_)) if !self.frames.is_empty() => {
                return Err(format!("{of}: `frames` are of a `mesh`; a limb bends by itself"));
            }
            (None, Some(limb)) => {
                limb.check(of)?;
                // Sixty shapes there and back, as smooth as a sine.
                let count = 60;
                let part = |i: u32| 0.5 - 0.5 * libm::cos(std::f64::consts::TAU * f64::from(i) / f64::from(count));
                let shapes = (0..count).map(|i| limb.bent(f64::from(limb.bend).to_radians() * part(i))).collect();
                (
                    Mesh { positions: limb.bent(0.0), triangles: limb.triangles() },
                    shapes,
                    f64::from(count) / limb.period,
                )
            }
        };
        if !self.frames.is_empty() {
            shapes.push(mesh.positions.clone());
        }
        for (i, file) in self.frames.iter().enumerate() {
            let shape = read(file)?;
            if shape.positions.len() != mesh.positions.len() || shape.triangles != mesh.triangles {
                let (got, want) = (shape.positions.len(), mesh.positions.len());
                let what = if got == want { "has other triangles".to_owned() } else { format!("has {got} vertices") };
                return Err(format!(
                    "{of}: frame {i}, `{file}`, {what}; `mesh` has {want} vertices, and frames its triangles"
                ));
            }
            shapes.push(shape.positions);
        }
        if self.limb.is_some() && rate > 1e6 {
            rate = 1e6;
        }
        let pose = Pose::at(self.position).turned(self.rotation.axis, self.rotation.degrees);
        let place =
            |p: &mut [f32; 3]| *p = pose.apply(p.map(|c| f64::from(c) * f64::from(self.scale))).map(|c| c as f32);
        mesh.positions.iter_mut().chain(shapes.iter_mut().flatten()).for_each(place);
        let mut obstacle = Obstacle::new(&mesh)
            .named(self.name.clone())
            .motion(self.motion.clone(), self.about)
            .thickness(self.thickness)
            .friction(self.friction)
            .filter(Filter { groups: self.groups, mask: self.mask });
        if let Some(first) = shapes.first() {
            mesh.positions.clone_from(first);
            let repeat = self.repeat || self.limb.is_some();
            obstacle = obstacle.frames(Frames { fps: rate, positions: shapes, repeat });
        }
        // Where it is at the start; what is wrong with it is said when the scene is planned.
        if let Ok(body) = obstacle.body() {
            mesh.positions = body.positions;
        }
        Ok((obstacle, mesh))
    }
}

/// What to do with vertices of a body.
pub(super) enum Hung {
    Attached(BodyId, Vec<u32>),
    Tethered(Tether),
}

impl AttachSpec {
    /// `positions` are the body's; `part` and `renumber` as for moving pins.
    pub(super) fn build(
        &self,
        of: &str,
        positions: &[[f32; 3]],
        worn: &[Worn],
        part: impl Fn(GridPins) -> Result<Vec<u32>, String>,
        renumber: impl Fn(&[u32]) -> Result<Vec<u32>, String>,
    ) -> Result<Hung, String> {
        let Some(worn) = worn.iter().find(|worn| worn.name == self.to && !self.to.is_empty()) else {
            let names: Vec<_> = worn.iter().map(|worn| format!("`{}`", worn.name)).collect();
            let known = if names.is_empty() {
                "the scene has none".to_owned()
            } else {
                format!("names are {}", names.join(", "))
            };
            return Err(format!("{of}: there is no obstacle `{}`; {known}", self.to));
        };
        let mut vertices = renumber(&self.pin_vertices)?;
        for &name in &self.pin {
            vertices.extend(part(name)?);
        }
        if self.pin.is_empty() && self.pin_vertices.is_empty() {
            vertices.extend(0..positions.len() as u32);
        }
        vertices.sort_unstable();
        vertices.dedup();
        if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= positions.len()) {
            return Err(format!("{of}: vertex {vertex} does not exist; there are {}", positions.len()));
        }
        if let Some(within) = self.within {
            if !(0.0..=1e6).contains(&within) {
                return Err(format!("{of}: within is {within}, which is not within 0 .. 1e6 m"));
            }
            let all = (0..worn.mesh.triangles.len() as u32).collect();
            let sound = worn.mesh.triangles.iter().flatten().all(|&v| (v as usize) < worn.mesh.positions.len());
            let sound = sound && worn.mesh.positions.iter().chain(positions).flatten().all(|c| c.is_finite());
            // What is wrong with meshes is said when the scene is planned.
            if sound {
                let (tree, mut stack) = (Tree::new(&worn.mesh.positions, &worn.mesh.triangles, all), Vec::new());
                vertices.retain(|&v| {
                    let x = positions[v as usize].map(f64::from);
                    tree.nearest(x, &mut stack).is_some_and(|(t, shares)| {
                        let corners =
                            worn.mesh.triangles[t as usize].map(|v| worn.mesh.positions[v as usize].map(f64::from));
                        let from = |k: usize| (0..3).map(|c| shares[c] * corners[c][k]).sum::<f64>() - x[k];
                        (0..3).map(|k| from(k) * from(k)).sum::<f64>() <= f64::from(within) * f64::from(within)
                    })
                });
            }
        }
        // A grid that cannot be drawn is refused when it is planned.
        if vertices.is_empty() && !positions.is_empty() {
            return Err(format!("{of}: it holds nothing; name other vertices, or a larger `within`"));
        }
        if self.max_distance.is_none() && self.backstop.is_none() {
            if self.backstop_radius.is_some() {
                return Err(format!("{of}: `backstop_radius` means nothing without `backstop`"));
            }
            return Ok(Hung::Attached(worn.id, vertices));
        }
        let mut tether = Tether::new(worn.id, vertices, self.max_distance.unwrap_or(f32::INFINITY));
        match (self.backstop, self.backstop_radius) {
            (Some(distance), radius) => {
                tether = tether.backstop(Values::Uniform(distance), radius.unwrap_or(f32::INFINITY))
            }
            (None, Some(_)) => return Err(format!("{of}: `backstop_radius` means nothing without `backstop`")),
            (None, None) => {}
        }
        Ok(Hung::Tethered(tether))
    }
}
