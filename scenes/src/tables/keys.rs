//! Keys that tables share, written once: their texts, their defaults, and how a recipe gets them.
//!
//! `#[serde(flatten)]` would do without a macro, but takes unknown keys; so a macro writes the shared keys into each
//! table.

/// Declares a table of a scene file. Each key has its text, type and default; a table of a recipe also takes groups of
/// keys, and each group gives it a method:
///
/// | group | keys | method |
/// |---|---|---|
/// | `met` | `name`, `friction`, `groups`, `mask` | `met(recipe)`: the recipe with them |
/// | `placed` | `position`, `rotation`, `scale` | `pose(of)`: where it is put, once checked; `placement()`: that and its scale |
/// | `blown` | `drag`, `lift` | `blown(recipe)`: the recipe with them |
/// | `body` | what all bodies have beside `met`, which it needs | `maps(of, keys, recipe, numbers)`: numbers by vertex; `bodily(of, recipe, worn, (maps, numbers))`: the recipe with both groups |
///
/// ```text
/// table! {
///     /// A rope.
///     RopeSpec of Rope: met, body {
///         /// Number of links.
///         segments: u32 = 32,
///     }
/// }
/// ```
///
/// Rules for groups put the group's keys beside the table's own and call the macro again with the groups that are left;
/// the last rule writes the struct and its `Default`.
macro_rules! table {
    ($(#[$about:meta])* $Spec:ident of $Recipe:ident: met $(, $more:ident)* { $($own:tt)* }) => {
        $crate::tables::keys::table! { $(#[$about])* $Spec of $Recipe: $($more),* {
            /// Name, unique in the scene.
            name: String = String::new(),
            $($own)*
            /// Coefficient.
            friction: f32 = 0.5,
            /// Groups that it is in, a bit each.
            groups: u32 = seidel::Filter::default().groups,
            /// Groups of others that it meets, a bit each.
            mask: u32 = seidel::Filter::default().mask,
        } }

        impl $Spec {
            /// The recipe with its name and how it meets others.
            fn met(&self, recipe: $Recipe) -> $Recipe {
                let filter = seidel::Filter::new(self.groups, self.mask);
                recipe.named(self.name.clone()).friction(self.friction).filter(filter)
            }
        }
    };

    ($(#[$about:meta])* $Spec:ident of $Recipe:ident: placed $(, $more:ident)* { $($own:tt)* }) => {
        $crate::tables::keys::table! { $(#[$about])* $Spec of $Recipe: $($more),* {
            $($own)*
            /// Metres.
            position: [f32; 3] = [0.0; 3],
            /// Turn before it is moved.
            rotation: $crate::tables::Turn = $crate::tables::Turn::default(),
            /// Factor before it is turned, or three, along x, y and z.
            scale: seidel::Scale = seidel::Scale::ONE,
        } }

        impl $Spec {
            /// Where it is put, once scaled.
            fn pose(&self, of: &str) -> Result<seidel::Pose, String> {
                $crate::tables::check::factors(of, "scale", self.scale)?;
                $crate::tables::check::place(of, "position", self.position, " m")?;
                $crate::tables::turn::rotation(of, self.rotation)?;
                Ok(self.placement().0)
            }

            /// Where it is put, and its scale before that, as they are.
            pub(super) fn placement(&self) -> (seidel::Pose, seidel::Scale) {
                let $crate::tables::Turn { axis, degrees } = self.rotation;
                (seidel::Pose::at(self.position).turned(axis, seidel::degrees(degrees)), self.scale)
            }
        }
    };

    ($(#[$about:meta])* $Spec:ident of $Recipe:ident: blown $(, $more:ident)* { $($own:tt)* }) => {
        $crate::tables::keys::table! { $(#[$about])* $Spec of $Recipe: $($more),* {
            $($own)*
            /// Coefficient in the air.
            drag: f32 = 0.0,
            /// Coefficient in the air.
            lift: f32 = 0.0,
        } }

        impl $Spec {
            /// The recipe with what the air does to it.
            fn blown(&self, recipe: $Recipe) -> $Recipe {
                recipe.drag(self.drag).lift(self.lift)
            }
        }
    };

    ($(#[$about:meta])* $Spec:ident of $Recipe:ident: body $(, $more:ident)* { $($own:tt)* }) => {
        $crate::tables::keys::table! { $(#[$about])* $Spec of $Recipe: $($more),* {
            $($own)*
            /// m/s.
            velocity: [f32; 3] = [0.0; 3],
            /// Pinned vertices; of a rope or rod its points. A rod's segment between two of them is clamped.
            pin_vertices: Vec<u32> = Vec::new(),
            /// Pinned vertices by name and place: those of any of these.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pin_where: Vec<$crate::tables::SelectSpec> = Vec::new(),
            /// Pins that follow paths.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            moving_pins: Vec<$crate::tables::MovingPinsSpec> = Vec::new(),
            /// Vertices that go with obstacles, or stay near them.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            attach: Vec<$crate::tables::AttachSpec> = Vec::new(),
            /// Numbers of its keys by vertex.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            map: Vec<$crate::tables::MapSpec> = Vec::new(),
            /// Factor on that of colliders.
            restitution: f32 = 1.0,
            /// 0..1 a step.
            damping: f32 = 0.0,
            /// Of the velocity relative to the world, 1/s.
            linear_damping: f32 = 0.0,
            /// Its own in a step, in place of the scene's.
            #[serde(skip_serializing_if = "Option::is_none")]
            substeps: Option<u32> = None,
            /// Its own, in place of the scene's.
            #[serde(skip_serializing_if = "Option::is_none")]
            method: Option<$crate::tables::method::MethodSpec> = None,
            /// Factor on the averages of its own Jacobi; 1 if absent.
            #[serde(skip_serializing_if = "Option::is_none")]
            method_relaxation: Option<f32> = None,
            /// With which bodies, beside colliders.
            collide: seidel::Collide = seidel::Collide::Nothing,
            /// Rows of any kind, beside its own.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            constraint: Vec<$crate::tables::ConstraintSpec> = Vec::new(),
        } }

        impl $Spec {
            /// Whether a key of it names a group or an attribute of its file.
            fn names_maps(&self) -> bool {
                let moved = self.moving_pins.iter().flat_map(|pins| &pins.pin_where);
                let attached = self.attach.iter().flat_map(|attach| &attach.pin_where);
                self.pin_where.iter().chain(moved).chain(attached).any($crate::tables::SelectSpec::is_named)
                    || self.map.iter().any($crate::tables::MapSpec::is_named)
            }

            /// Its maps, of these keys of its own and those that all bodies have; `recipe` is placed.
            fn maps<'a>(
                &'a self,
                of: &'a str,
                files: &mut $crate::tables::geometry::Files,
                keys: &[&str],
                recipe: &$Recipe,
                numbers: &$crate::tables::vertices::Numbers,
            ) -> Result<$crate::tables::map::Maps<'a>, String> {
                $crate::tables::map::Maps::new((of, files), &self.map, keys, recipe, numbers)
            }

            /// The recipe, once it is placed, with what all bodies have; `worn` are the scene's obstacles.
            fn bodily(
                &self,
                of: &str,
                recipe: $Recipe,
                worn: &[$crate::tables::attach::Worn],
                (maps, numbers): (&$crate::tables::map::Maps<'_>, &$crate::tables::vertices::Numbers),
            ) -> Result<$Recipe, String> {
                $crate::tables::check::place(of, "velocity", self.velocity, " m/s")?;
                let mut recipe = self
                    .met(recipe)
                    .velocity(self.velocity)
                    .restitution(self.restitution)
                    .damping(self.damping)
                    .linear_damping(self.linear_damping)
                    .collide(self.collide)
                    .pin(&numbers.renumbered(of, &self.pin_vertices)?);
                if let Some(substeps) = self.substeps {
                    recipe = recipe.substeps(substeps);
                }
                if let Some(method) = $crate::tables::method::chosen(of, self.method, ("method_relaxation", self.method_relaxation))? {
                    recipe = recipe.method(method);
                }
                if let Some(numbers) = maps.over("friction", Some(self.friction))? {
                    recipe = recipe.friction(numbers);
                }
                let there = format!("{of}, pin_where");
                let pins = $crate::tables::select::selected(&there, &self.pin_where, &recipe, numbers)?;
                recipe = recipe.pin(&pins);
                let mut moved = 0;
                for (i, pins) in self.moving_pins.iter().enumerate() {
                    let pins = pins.build(&format!("{of}, moving_pins {i}"), &recipe, numbers)?;
                    moved += pins.vertices.len();
                    maps.named("moving_pins", moved)?;
                    recipe = recipe.move_pins(pins);
                }
                for rows in &self.constraint {
                    recipe = recipe.constrain(rows.build(of, numbers)?);
                }
                for hung in $crate::tables::attach::hung((of, maps), &self.attach, &recipe, worn, numbers)? {
                    recipe = match hung {
                        $crate::tables::attach::Hung::Attached(to, vertices) => recipe.attach(to, &vertices),
                        $crate::tables::attach::Hung::Tethered(tether) => recipe.tether(tether),
                    };
                }
                Ok(recipe)
            }
        }
    };

    ($(#[$about:meta])* $Spec:ident $(of $Recipe:ident:)? {
        $($(#[$text:meta])* $key:ident: $Type:ty = $default:expr,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $Spec {
            $($(#[$text])* pub $key: $Type,)*
        }

        impl $Spec {
            /// Names of all keys, in their order.
            pub const KEYS: &[&str] = &[$(stringify!($key)),*];
        }

        impl Default for $Spec {
            fn default() -> Self {
                $Spec { $($key: $default,)* }
            }
        }
    };
}

pub(super) use table;
