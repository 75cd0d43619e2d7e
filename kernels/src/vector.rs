//! Vectors and rotations in f64, for what is planned and measured: a few operations, each in a fixed order.

/// A point or direction.
pub type P = [f64; 3];

/// a + b
#[inline]
#[must_use]
pub fn add(a: P, b: P) -> P {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a - b
#[inline]
#[must_use]
pub fn sub(a: P, b: P) -> P {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s a
#[inline]
#[must_use]
pub fn scale(a: P, s: f64) -> P {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// Scalar product, summed (x + y) + z.
#[inline]
#[must_use]
pub fn dot(a: P, b: P) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product.
#[inline]
#[must_use]
pub fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length.
#[inline]
#[must_use]
pub fn length(a: P) -> f64 {
    f64::sqrt(dot(a, a))
}

/// Product of quaternions [x, y, z, w]: first `b`, then `a`.
#[inline]
#[must_use]
pub fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The rotation back, of a quaternion [x, y, z, w] of length 1.
#[inline]
#[must_use]
pub fn conjugate([x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [-x, -y, -z, w]
}
