//! The lengths that a header promises; checked once for the header and once for each frame.

use crate::Error;
use crate::aside::Target;
use crate::frames::{Header, RecordedFrame};

/// What every frame has to agree with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameShape {
    /// Vertices of all bodies.
    pub(crate) vertices: usize,
    /// Colliders, and shapes of rigid bodies.
    pub(crate) colliders: usize,
    /// Rigid bodies.
    pub(crate) rigid: usize,
    /// Particles of all fluids.
    pub(crate) fluid: usize,
}

impl FrameShape {
    /// Checks that a header's arrays agree with one another.
    pub(crate) fn new(target: &Target, header: &Header) -> Result<Self, Error> {
        let vertices = header.inv_mass.len();
        let fail = |what: String| Err(Error::Format { path: target.path().to_owned(), what });
        if u32::try_from(vertices).is_err() {
            return fail(format!("{vertices} vertices are more than an index of 32 bits can name"));
        }
        if header.edges.len() != header.rest_lengths.len() {
            return fail(format!("{} edges have {} rest lengths", header.edges.len(), header.rest_lengths.len()));
        }
        for body in &header.bodies {
            if body.first as usize + body.count as usize > vertices {
                return fail(format!("body {:?} ends past the last of {vertices} vertices", body.name));
            }
            if let Some(what) = body.drawn.as_ref().and_then(|drawn| drawn.fault(body.count as usize)) {
                return fail(format!("body {:?}: {what}", body.name));
            }
            if ![0, body.count as usize].contains(&body.rest.len()) {
                let (count, places) = (body.count, body.rest.len());
                return fail(format!("body {:?}: its {count} vertices have {places} places at rest", body.name));
            }
            if let Some(source) = &body.source {
                let (dropped, places) = (source.vertex.iter().filter(|v| v.is_none()).count(), source.dropped.len());
                if dropped != places || source.vertex.iter().flatten().any(|&v| v >= body.count) {
                    let count = body.count;
                    return fail(format!(
                        "body {:?}: its file's vertices name others than its {count}, or {dropped} were dropped and have {places} places",
                        body.name
                    ));
                }
            }
        }
        let outside = |corners: &[u32]| corners.iter().any(|&v| v as usize >= vertices);
        if let Some(t) = header.triangles.iter().position(|t| outside(t)) {
            return fail(format!("triangle {t} {:?} names a vertex past the last of {vertices}", header.triangles[t]));
        }
        if let Some(t) = header.tets.iter().position(|t| outside(t)) {
            return fail(format!("tetrahedron {t} {:?} names a vertex past the last of {vertices}", header.tets[t]));
        }
        if let Some(e) = header.edges.iter().position(|e| outside(e)) {
            return fail(format!("edge {e} {:?} names a vertex past the last of {vertices}", header.edges[e]));
        }
        let (colliders, rigid) = (header.colliders.len(), header.rigid_names.len());
        Ok(Self { vertices, colliders, rigid, fluid: header.fluid_particles() })
    }

    /// Checks that frame number `index` has the lengths that the header says.
    pub(crate) fn check(&self, target: &Target, index: usize, frame: &RecordedFrame<'_>) -> Result<(), Error> {
        let lengths = [
            ("positions", frame.positions.len(), self.vertices),
            ("velocities", frame.velocities.len(), self.vertices),
            ("poses", frame.poses.len(), self.colliders),
            ("poses of rigid bodies", frame.rigid_poses.len(), self.rigid),
            ("densities", frame.densities.len(), self.fluid),
            ("ids", frame.ids.len(), self.fluid),
        ];
        match lengths.into_iter().find(|(_, got, want)| got != want) {
            None => Ok(()),
            Some((name, got, want)) => Err(Error::Frame {
                path: target.path().to_owned(),
                frame: index,
                what: format!("{got} {name} where the header says {want}"),
            }),
        }
    }
}

/// Names the first vertex or collider of frame number `index` that is not at a finite place.
pub(crate) fn check_finite(
    target: &Target,
    header: &Header,
    index: usize,
    frame: &RecordedFrame<'_>,
) -> Result<(), Error> {
    let finite = |numbers: &[f32]| numbers.iter().all(|x| x.is_finite());
    let fail = |what| Err(Error::Frame { path: target.path().to_owned(), frame: index, what });
    if let Some(v) = frame.positions.iter().position(|p| !finite(p)) {
        let at = frame.positions[v];
        let id = v as u32;
        let body = header.bodies.iter().find(|b| (b.first..b.first + b.count).contains(&id));
        let body = body.map_or(String::new(), |b| format!(" (body {:?}, its vertex {})", b.name, id - b.first));
        return fail(format!("vertex {v}{body} is at {at:?}; the simulation has diverged, try a smaller step"));
    }
    if let Some(c) = frame.poses.iter().position(|p| !finite(p)) {
        let (name, pose) = (&header.colliders[c].name, frame.poses[c]);
        return fail(format!("collider {name:?} has the pose {pose:?}"));
    }
    Ok(())
}
