//! All tables of bodies, as a scene goes through them.

use super::SceneSpec;
use super::body_table::{BodyTable, Entry};
use super::fluid::FluidSpec;
use super::key;
use super::list::listed;
use super::rigid::RigidSpec;
use seidel::{Pose, Scale};

macro_rules! tables {
    (bodies: $($body:ident $BODY:ident $Body:ident),+; others: $($other:ident $OTHER:ident $Other:ident),+) => {
        impl SceneSpec {
            /// Keys of the tables of bodies, in the order in which these are numbered; obstacles come after them.
            pub const BODIES: &[&str] = &[$(stringify!($body)),+];

            /// Keys of all arrays of tables.
            pub const TABLES: &[&str] = &[$(stringify!($body)),+, $(stringify!($other)),+];

            /// Number of bodies, before obstacles.
            #[must_use]
            pub fn bodies(&self) -> usize {
                0 $(+ self.$body.len())+
            }

            /// Tables of bodies in their order.
            pub(super) fn body_tables(&self) -> impl Iterator<Item = Entry<'_>> {
                std::iter::empty()$(.chain(self.$body.iter().enumerate().map(|(number, table)| {
                    Entry { what: stringify!($body), number, name: &table.name, table: table as &dyn BodyTable }
                })))+
            }

            /// That of a body, by its number; behind the last of them the number among obstacles.
            fn body_table(&self, body: usize) -> Result<Entry<'_>, usize> {
                let mut number = body;
                $(
                    if let Some(table) = self.$body.get(number) {
                        return Ok(Entry { what: stringify!($body), number, name: &table.name, table });
                    }
                    number -= self.$body.len();
                )+
                Err(number)
            }
        }
    };
}

listed!(tables);

impl SceneSpec {
    /// Names of all bodies in their order, obstacles last. A body without one has that of its table and its number in
    /// there, such as `cloth-0`, unless another is called so: then its number among all, such as `body-3`.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let obstacles =
            self.obstacle.iter().enumerate().map(|(i, obstacle)| (key::OBSTACLE, i, obstacle.name.as_str()));
        let bodies = self.body_tables().map(|entry| (entry.what, entry.number, entry.name));
        let all: Vec<_> = bodies.chain(obstacles).collect();
        let mut taken: Vec<&str> = all.iter().map(|(.., name)| *name).collect();
        taken.sort_unstable();
        let is_free = |name: &String| taken.binary_search(&name.as_str()).is_err();
        let name = |(body, &(what, number, name)): (usize, &(&str, usize, &str))| {
            if !name.is_empty() {
                return name.to_owned();
            }
            let mut made = (body..).step_by(all.len()).map(|i| format!("body-{i}"));
            Some(format!("{what}-{number}")).filter(is_free).or_else(|| made.find(is_free)).unwrap_or_default()
        };
        all.iter().enumerate().map(name).collect()
    }

    /// The key of a body's table and its number among those of that key, by the body's number; none where there is no
    /// such body.
    #[must_use]
    pub fn table_of(&self, body: usize) -> Option<(&'static str, usize)> {
        match self.body_table(body) {
            Ok(entry) => Some((entry.what, entry.number)),
            Err(number) => Some((key::OBSTACLE, number)).filter(|_| number < self.obstacle.len()),
        }
    }

    /// Where the table of a body, by its number, puts a mesh of a file, and its scale before that; none where it says
    /// this by points.
    #[must_use]
    pub fn placed(&self, body: usize) -> Option<(Pose, Scale)> {
        match self.body_table(body) {
            Ok(entry) => entry.table.placed(),
            Err(number) => self.obstacle.get(number).map(|obstacle| obstacle.placement()),
        }
    }

    /// Files of bodies with the number of the body that each is the surface of, and whether it is repaired; in the
    /// order of the bodies. A solid's is that of its skin.
    pub fn surfaces(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        let obstacles = self.obstacle.iter().map(|obstacle| Some((obstacle.mesh.as_deref()?, false)));
        let all = self.body_tables().map(|entry| entry.table.surface()).chain(obstacles);
        all.enumerate().filter_map(|(body, surface)| surface.map(|(file, repair)| (body, file, repair)))
    }

    /// Whether a key names a group or a painted attribute of a file: whoever reads the file for [`SceneSpec::build`]
    /// reads those with it.
    #[must_use]
    pub fn names_maps_of(&self, file: &str) -> bool {
        let of_file = |table: &dyn BodyTable| table.surface().is_some_and(|(of, _)| of == file);
        self.body_tables().any(|entry| of_file(entry.table) && entry.table.names_maps())
    }

    /// Gives all files that it names other names.
    pub fn rename_files(&mut self, mut to: impl FnMut(&str) -> String) {
        let mut rename = |file: &mut Option<String>| *file = file.as_deref().map(&mut to);
        self.cloth.iter_mut().for_each(|body| rename(&mut body.mesh));
        self.balloon.iter_mut().for_each(|body| rename(&mut body.mesh));
        self.shape_matched.iter_mut().for_each(|body| rename(&mut body.mesh));
        for body in &mut self.soft_body {
            rename(&mut body.mesh);
            rename(&mut body.skin);
        }
        self.body.iter_mut().flat_map(RigidSpec::files_mut).for_each(&mut rename);
        for fluid in &mut self.fluid {
            rename(&mut fluid.mesh);
            fluid.emitter.iter_mut().for_each(|emitter| rename(&mut emitter.mesh));
        }
        let of_grains = self.grains.iter_mut().flat_map(|grains| &mut grains.emitter);
        of_grains.for_each(|emitter| rename(&mut emitter.mesh));
        self.collider.iter_mut().for_each(|collider| rename(&mut collider.file));
        self.obstacle.iter_mut().for_each(|obstacle| rename(&mut obstacle.mesh));
        for obstacle in &mut self.obstacle {
            obstacle.frames.iter_mut().for_each(|frame| *frame = to(frame));
        }
    }

    /// All files that it names.
    pub fn files<'a>(&'a self) -> impl Iterator<Item = &'a str> {
        let surfaces = self.surfaces().map(|(_, file, _)| file);
        let solids = self.soft_body.iter().filter_map(|body| body.mesh.as_deref());
        let of_fluid = |fluid: &'a FluidSpec| {
            let emitters = fluid.emitter.iter().filter_map(|emitter| emitter.mesh.as_deref());
            fluid.mesh.as_deref().into_iter().chain(emitters)
        };
        let fluids = self.fluid.iter().flat_map(of_fluid);
        let of_grains = self.grains.iter().flat_map(|grains| &grains.emitter);
        let fluids = fluids.chain(of_grains.filter_map(|emitter| emitter.mesh.as_deref()));
        let frames = self.obstacle.iter().flat_map(|obstacle| obstacle.frames.iter().map(String::as_str));
        let colliders = self.collider.iter().filter_map(|collider| collider.file.as_deref());
        let rigid = self.body.iter().flat_map(RigidSpec::files);
        surfaces.chain(solids).chain(fluids).chain(frames).chain(rigid).chain(colliders)
    }
}
