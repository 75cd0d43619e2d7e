//! Kinds with long equations through the harness, next to their code: built in a fraction of the time that the table takes.

use seidel_kernels::{
    Attach, AttachTriangle, EdgeEdge, Elastic, ElasticTriangle, Hooke, Kind, NeoHookean, OrthotropicTriangle,
    Parameter, PointEdge, PointTriangle, StVenantKirchhoff, StableEnergy, StableNeoHookean, StrainTet, StrainTriangle,
    Volume, conformance,
};

const REST: Parameter = Parameter::rest("rest", "", -1e12, 1e12);
const SOFT: Parameter = Parameter::soft("soft", "1/J");
const RATIO: Parameter = Parameter::material("ratio", "", 0.01, 3.0, 0.4);

#[test]
fn they_conform() {
    let kinds = [
        Kind::of::<Volume, 4, 1>("volume", &[REST]),
        Kind::of::<PointEdge, 3, 1>("point-edge", &[REST]),
        Kind::of::<PointTriangle, 4, 1>("point-triangle", &[REST]),
        Kind::of::<EdgeEdge, 4, 1>("edge-edge", &[REST]),
        Kind::vector::<Attach, 2, 0, 3>("attach", &[]),
        Kind::vector::<AttachTriangle, 4, 2, 3>("attach-triangle", &[REST; 2]),
        Kind::block::<StrainTriangle<true>, 3, 6, 3>("strain-triangle", &[REST, REST, REST, REST, SOFT, SOFT]),
        Kind::block::<StrainTriangle<false>, 3, 6, 3>("plain triangle", &[REST, REST, REST, REST, SOFT, SOFT]),
        Kind::block::<StrainTet<true>, 4, 10, 6>(
            "strain-tet",
            &[REST, REST, REST, REST, REST, REST, REST, REST, REST, SOFT],
        ),
        Kind::block::<StrainTet<false>, 4, 10, 6>(
            "plain tet",
            &[REST, REST, REST, REST, REST, REST, REST, REST, REST, SOFT],
        ),
        Kind::of::<ElasticTriangle, 3, 4>("fem-triangle", &[REST, REST, REST, RATIO]),
        Kind::of::<OrthotropicTriangle, 3, 7>("orthotropic", &[REST, REST, REST, REST, RATIO, RATIO, RATIO]),
        Kind::of::<Elastic<Hooke>, 4, 7>("hooke", &[REST, REST, REST, REST, REST, REST, RATIO]),
        Kind::of::<Elastic<StVenantKirchhoff>, 4, 7>("stvk", &[REST, REST, REST, REST, REST, REST, RATIO]),
        Kind::of::<Elastic<NeoHookean>, 4, 7>("neo-hookean", &[REST, REST, REST, REST, REST, REST, RATIO]),
        Kind::of::<Elastic<StableEnergy>, 4, 7>("energy", &[REST, REST, REST, REST, REST, REST, RATIO]),
        Kind::block::<StableNeoHookean, 4, 7, 2>("stable", &[REST, REST, REST, REST, REST, REST, RATIO]),
    ];
    let wrong: Vec<String> = kinds.iter().filter_map(|kind| conformance::check(kind).err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
