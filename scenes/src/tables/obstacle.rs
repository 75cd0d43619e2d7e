//! Obstacles by keys.

use super::check::above_zero;
use super::geometry::Files;
use super::keys::table;
use super::motion::MotionSpec;
use super::variant::Variant;
use seidel::memory::Need;
use seidel::{Mesh, Obstacle, VertexAnimation};

table! {
    /// A mesh that goes where it is taken: of a file, or a limb that bends.
    ObstacleSpec of Obstacle: met, placed {
        /// Mesh file, relative to the scene file.
        #[serde(skip_serializing_if = "Option::is_none")]
        mesh: Option<String> = None,
        /// Instead of a file: a limb.
        #[serde(skip_serializing_if = "Option::is_none")]
        limb: Option<LimbSpec> = None,
        /// Mesh files of the shapes that it takes after that of `mesh`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        frames: Vec<String> = Vec::new(),
        /// Shapes a second.
        fps: f64 = 30.0,
        /// The first follows the last.
        repeat: bool = false,
        /// The point about which the path turns, metres.
        about: [f64; 3] = [0.0; 3],
        /// Path, in addition to the shapes.
        motion: MotionSpec = MotionSpec::Fixed,
        /// Metres.
        thickness: f32 = 0.0,
        /// Its own in a step, in place of the scene's.
        #[serde(skip_serializing_if = "Option::is_none")]
        substeps: Option<u32> = None,
    }
}

impl ObstacleSpec {
    pub(super) const VARIANTS: &[Variant] = &[
        Variant { name: "an obstacle without a file", keys: &["limb"], other: &["mesh"] },
        Variant { name: "a mesh of files", keys: &["frames", "fps", "repeat"], other: &["limb"] },
    ];
}

table! {
    /// A closed tube along x from the origin, of which the middle third bends upwards (to +y) and back again and again.
    LimbSpec {
        /// Metres.
        radius: f32 = 0.05,
        /// Metres.
        length: f32 = 0.6,
        /// Vertices around, and rings along it.
        around: u32 = 24,
        /// Rings.
        along: u32 = 40,
        /// Degrees, at most.
        bend: f32 = 90.0,
        /// Seconds, there and back.
        period: f64 = 4.0,
    }
}

/// Shapes of a limb, there and back.
const SHAPES: u32 = 60;

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
            return Err(format!(
                "{of}: limb.period is {}, which is not within 0.001 .. 1e6 s",
                super::check::figure(self.period)
            ));
        }
        // Beyond it the inner side goes through itself.
        let most = (f64::from(self.length) / 3.0 / f64::from(self.radius)).to_degrees().min(180.0);
        if !(0.0..most).contains(&f64::from(self.bend)) {
            return Err(format!(
                "{of}: limb.bend is {}, which is not within 0 .. {most:.1} degrees",
                super::check::figure(self.bend)
            ));
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

impl ObstacleSpec {
    /// What a limb makes it need, with all its shapes.
    pub(super) fn need(&self) -> Option<Need> {
        let limb = self.limb.as_ref()?;
        // They are checked when it is made: any two numbers may stand here.
        let vertices = u64::from(limb.around).saturating_mul(limb.along.into()).saturating_add(2);
        let sheet = Need::sheet(vertices, vertices.saturating_mul(2), false);
        Some(sheet.numbers(vertices.saturating_mul(3 * u64::from(SHAPES))))
    }

    /// The obstacle, and its mesh at the start.
    pub(super) fn build(&self, of: &str, files: &mut Files) -> Result<(Obstacle, Mesh), String> {
        let pose = self.pose(of)?;
        let motion = self.motion.build(of)?;
        let (mut mesh, mut shapes, mut rate) = match (&self.mesh, &self.limb) {
            (Some(_), Some(_)) => return Err(format!("{of}: give it `mesh` or `limb`, not both")),
            (None, None) => return Err(format!("{of}: it has no shape; give it `mesh` or `limb`")),
            (Some(file), None) => (files.surface(of, file)?, Vec::new(), self.fps),
            (None, Some(_)) if !self.frames.is_empty() => {
                return Err(format!("{of}: `frames` are of a `mesh`; a limb bends by itself"));
            }
            (None, Some(limb)) => {
                limb.check(of)?;
                // Sixty shapes there and back, as smooth as a sine.
                let count = SHAPES;
                let part = |i: u32| 0.5 - 0.5 * libm::cos(std::f64::consts::TAU * f64::from(i) / f64::from(count));
                let shapes = (0..count).map(|i| limb.bent(f64::from(limb.bend).to_radians() * part(i))).collect();
                (
                    Mesh { positions: limb.bent(0.0), triangles: limb.triangles() },
                    shapes,
                    f64::from(count) / limb.period,
                )
            }
        };
        // The shapes stay while the next files are read.
        let kept = Need::default().numbers((self.frames.len() as u64).saturating_mul(3 * mesh.positions.len() as u64));
        if !self.frames.is_empty() {
            files.take(of, "frames", kept)?;
            shapes.push(mesh.positions.clone());
        }
        for (i, file) in self.frames.iter().enumerate() {
            let shape = files.surface(of, file)?;
            if shape.positions.len() != mesh.positions.len() || shape.triangles != mesh.triangles {
                let (got, want) = (shape.positions.len(), mesh.positions.len());
                let what = if got == want { "has other triangles".to_owned() } else { format!("has {got} vertices") };
                return Err(format!(
                    "{of}: frame {i}, `{file}`, {what}; `mesh` has {want} vertices, and frames its triangles"
                ));
            }
            shapes.push(shape.positions);
        }
        if !self.frames.is_empty() {
            // Whoever counts the obstacle counts them.
            files.give_back(kept);
        }
        if self.limb.is_some() && rate > 1e6 {
            rate = 1e6;
        }
        self.scale.place_all(&mut mesh.positions, &pose);
        shapes.iter_mut().for_each(|shape| self.scale.place_all(shape, &pose));
        let obstacle = Obstacle::new(&mesh).motion(motion, self.about).thickness(self.thickness);
        let mut obstacle = self.met(obstacle);
        if let Some(substeps) = self.substeps {
            obstacle = obstacle.substeps(substeps);
        }
        if let Some(first) = shapes.first() {
            mesh.positions.clone_from(first);
            let repeat = self.repeat || self.limb.is_some();
            obstacle = obstacle.frames(VertexAnimation::new(rate, shapes).repeat(repeat));
        }
        // Where it is at the start; what is wrong with it is said when the scene is planned.
        if let Ok(start) = obstacle.start() {
            mesh.positions = start;
        }
        Ok((obstacle, mesh))
    }
}
