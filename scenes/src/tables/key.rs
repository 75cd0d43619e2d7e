//! Keys of scene files that are tables: whoever works on the text of a scene names them by these constants.

use super::list::listed;

macro_rules! keys {
    (bodies: $($body:ident $BODY:ident $Body:ident),+; others: $($other:ident $OTHER:ident $Other:ident),+) => {
        $(#[doc = concat!("`[[", stringify!($body), "]]`")] pub const $BODY: &str = stringify!($body);)+
        $(#[doc = concat!("`[[", stringify!($other), "]]`")] pub const $OTHER: &str = stringify!($other);)+
    };
}

listed!(keys);

macro_rules! inner {
    (tables: $($table:ident $TABLE:ident),+; lists: $($list:ident $LIST:ident),+) => {
        $(#[doc = concat!("`[", stringify!($table), "]`")] pub const $TABLE: &str = stringify!($table);)+
        $(#[doc = concat!("`[[", stringify!($list), "]]`, in another table")] pub const $LIST: &str = stringify!($list);)+

        /// Keys that are tables of their own, in a scene or in other tables.
        pub(super) const INNER_TABLES: &[&str] = &[$($TABLE),+];

        /// Keys of tables that are lists of tables.
        pub(super) const INNER_LISTS: &[&str] = &[$($LIST),+];
    };
}

inner! {
    tables: air AIR, solver SOLVER, rotation ROTATION, motion MOTION, limb LIMB, fabric FABRIC, plastic PLASTIC,
        plastic_bend PLASTIC_BEND, tear TEAR, motor MOTOR;
    lists: pin_where PIN_WHERE, moving_pins MOVING_PINS, attach ATTACH, map MAP, constraint CONSTRAINT, emitter EMITTER,
        drain DRAIN, cut CUT, part PART
}
