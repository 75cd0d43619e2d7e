//! Densities of fluids in a byte a particle.

/// The byte from which on densities are `FINE` apart; below they are `COARSE`: there are surfaces and spray.
const FROM: u8 = 49;
const COARSE: f32 = 0.01;
const FINE: f32 = 0.002;
/// Density over that at rest of the bytes 1 and `FROM`.
const LEAST: f32 = 0.42;
const MIDDLE: f32 = 0.9;

/// The byte of a density over that at rest: 0 of a particle that is not there, else the nearest of [`table`].
pub(super) fn byte(density: f32) -> u8 {
    if density.is_nan() || density <= 0.0 {
        return 0;
    }
    // `as` saturates.
    let fine = (density - MIDDLE) / FINE;
    if fine > -0.5 * COARSE / FINE {
        return FROM + (fine.round() as u8).min(u8::MAX - FROM);
    }
    1 + (((density - LEAST) / COARSE).round() as u8).min(FROM - 2)
}

/// The density of each byte.
pub(super) fn table() -> Vec<f64> {
    let of = |byte: u32| match byte {
        0 => 0.0,
        _ if byte < u32::from(FROM) => f64::from(42 + byte - 1) / 100.0,
        _ => f64::from(450 + byte - u32::from(FROM)) / 500.0,
    };
    (0..=u32::from(u8::MAX)).map(of).collect()
}

/// Turns frames of bytes into differences from the frame before; of the first frame, from the particle before.
#[derive(Debug)]
pub(super) struct Differences {
    last: Vec<u8>,
    is_first: bool,
}

impl Differences {
    pub(super) fn new(particles: usize) -> Self {
        Self { last: vec![0; particles], is_first: true }
    }

    /// Appends a frame, a byte a particle.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut left = 0;
        for (last, &byte) in self.last.iter_mut().zip(bytes) {
            out.push(byte.wrapping_sub(if self.is_first { left } else { *last }));
            (*last, left) = (byte, byte);
        }
        self.is_first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_nearest_of_the_table() {
        assert_eq!([0.0, -1.0, f32::NAN, 1e-9, 0.5, 1.0, 9.0, f32::INFINITY].map(byte), [0, 0, 0, 1, 9, 99, 255, 255]);
        let table = table();
        for (byte_of, density) in (0..=255u8).zip(&table) {
            assert_eq!(byte(*density as f32), byte_of, "{density}");
        }
        for i in 0..1000 {
            let density = 0.42 + f64::from(i) * 0.00089;
            let off = |byte: usize| (table[byte] - density).abs();
            let got = usize::from(byte(density as f32));
            let least = (1..256).map(off).fold(f64::INFINITY, f64::min);
            assert!(off(got) <= least + 1e-6, "{density} has the byte {got}");
        }
    }
}
