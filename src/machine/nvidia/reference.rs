//! The data of the checks and their right results, computed here in plain Rust.
//!
//! A matrix product is checked by multiplying both sides with one random vector (Freivalds): it finds every wrong row
//! at the cost of three vectors instead of a whole product. Filters and gradients are sparse for the same reason.

use super::native::cudnn::{Pass, Shape};

/// The kernel that the driver compiles from PTX and NVRTC from C++: `out[i] = in[i] * 2654435761 + i`.
pub(super) fn mix(x: u32, i: u32) -> u32 {
    x.wrapping_mul(2_654_435_761).wrapping_add(i)
}

/// The same in C++.
pub(super) const SOURCE: &str = "extern \"C\" __global__ void faultbook_mix(const unsigned* in, unsigned* out, unsigned n) {\n\
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n\
    if (i < n) out[i] = in[i] * 2654435761u + i;\n}\n";

/// The same in PTX, for the very device: the version is the first one that knows its architecture, so that the driver,
/// which knows the device, knows the version.
pub(super) fn ptx(major: i32, minor: i32) -> String {
    // Devices that came later than this list take the text of the last architecture that runs on them.
    let (version, target) = match (major, minor) {
        (..=6, _) => ("5.0", format!("sm_{major}{minor}")),
        (7, 0) => ("6.0", "sm_70".to_owned()),
        (7, 2) => ("6.1", "sm_72".to_owned()),
        (7, _) => ("6.3", "sm_75".to_owned()),
        (8, 6) => ("7.1", "sm_86".to_owned()),
        (8, 7) => ("7.4", "sm_87".to_owned()),
        (8, 9) => ("7.8", "sm_89".to_owned()),
        (8, _) => ("7.0", "sm_80".to_owned()),
        (10, 0) => ("8.6", "sm_100".to_owned()),
        (12, 0) => ("8.7", "sm_120".to_owned()),
        _ => ("7.8", "sm_90".to_owned()),
    };
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
.visible .entry faultbook_mix(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n)\n{{\n\
.reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n\
ld.param.u64 %rd1, [p_in];\nld.param.u64 %rd2, [p_out];\nld.param.u32 %r1, [p_n];\n\
mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n\
mad.lo.s32 %r5, %r2, %r3, %r4;\n\
setp.ge.u32 %p1, %r5, %r1;\n@%p1 bra DONE;\n\
cvta.to.global.u64 %rd3, %rd1;\ncvta.to.global.u64 %rd4, %rd2;\n\
mul.wide.u32 %rd5, %r5, 4;\nadd.s64 %rd6, %rd3, %rd5;\nadd.s64 %rd7, %rd4, %rd5;\n\
ld.global.u32 %r6, [%rd6];\nmad.lo.u32 %r7, %r6, 0x9E3779B1, %r5;\nst.global.u32 [%rd7], %r7;\n\
DONE:\nret;\n}}\n"
    )
}

/// A sequence of numbers that looks random and is the same every time.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From -3 to 3.
    fn small(&mut self) -> i8 {
        i8::try_from(self.next() % 7).unwrap_or(0) - 3
    }
}

/// Bytes for copies.
pub(super) fn bytes(length: usize) -> Vec<u8> {
    let mut sequence = Sequence(7);
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        bytes.extend_from_slice(&sequence.next().to_ne_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// A square matrix of small whole numbers, column by column.
pub(super) fn matrix(rows: usize, seed: u64) -> Vec<i8> {
    let mut sequence = Sequence(seed);
    (0..rows * rows).map(|_| sequence.small()).collect()
}

/// As 32-bit floats.
pub(super) fn as_f32(values: &[i8]) -> Vec<u8> {
    values.iter().flat_map(|value| f32::from(*value).to_ne_bytes()).collect()
}

/// As 16-bit floats; values from -3 to 3.
pub(super) fn as_f16(values: &[i8]) -> Vec<u8> {
    let encode = |value: i8| {
        let magnitude: u16 = [0, 0x3C00, 0x4000, 0x4200].get(usize::from(value.unsigned_abs())).copied().unwrap_or(0);
        if value < 0 { magnitude | 0x8000 } else { magnitude }
    };
    values.iter().flat_map(|value| encode(*value).to_ne_bytes()).collect()
}

/// As brain floats: the upper half of a 32-bit float.
pub(super) fn as_bf16(values: &[i8]) -> Vec<u8> {
    let encode = |value: i8| u16::try_from(f32::from(value).to_bits() >> 16).unwrap_or(0);
    values.iter().flat_map(|value| encode(*value).to_ne_bytes()).collect()
}

/// Words as bytes.
pub(super) fn words_to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Bytes as 32-bit floats.
pub(super) fn to_f32(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_ne_bytes(*chunk)).collect()
}

/// The rows of `c` that are not those of `a * b`.
#[expect(clippy::cast_possible_truncation, reason = "only values known to be whole and small are cast")]
pub(super) fn wrong_rows(a: &[i8], b: &[i8], c: &[f32], rows: usize) -> Vec<usize> {
    const LARGEST: f32 = 16_777_216.0;
    let mut sequence = Sequence(99);
    let vector: Vec<i64> = (0..rows).map(|_| i64::try_from(sequence.next() >> 44).unwrap_or(1) + 1).collect();
    let times = |matrix: &[i8], vector: &[i64]| -> Vec<i64> {
        let mut result = vec![0_i64; rows];
        for (column, factor) in matrix.chunks_exact(rows).zip(vector) {
            for (sum, value) in result.iter_mut().zip(column) {
                *sum += i64::from(*value) * factor;
            }
        }
        result
    };
    let expected = times(a, &times(b, &vector));
    let mut got = vec![Some(0_i64); rows];
    for (column, factor) in c.chunks_exact(rows).zip(&vector) {
        for (sum, value) in got.iter_mut().zip(column) {
            let whole = value.is_finite() && value.fract() == 0.0 && value.abs() < LARGEST;
            *sum = sum.filter(|_| whole).map(|sum| sum + value.round() as i64 * factor);
        }
    }
    if c.len() != rows * rows {
        return (0..rows).collect();
    }
    (0..rows).filter(|&row| got[row] != Some(expected[row])).collect()
}

/// A pass of a 3x3 layer: its tensors as bytes and the right result.
pub(super) struct Convolution {
    /// Input, or space for its gradient.
    pub(super) input: Vec<u8>,
    /// Filter, or space for its gradient.
    pub(super) filter: Vec<u8>,
    /// Output gradient, or space for the output.
    pub(super) output: Vec<u8>,
    /// What the pass must compute.
    pub(super) expected: Vec<f32>,
}

/// One place of a sparse tensor.
struct Entry {
    at: [usize; 4],
    value: f32,
}

impl Convolution {
    /// The data of a pass.
    pub(super) fn new(shape: Shape, pass: Pass) -> Self {
        let Shape { batch, channels, filters, side } = shape;
        let mut sequence = Sequence(5);
        let mut dense = |length: usize| -> Vec<f32> { (0..length).map(|_| f32::from(sequence.small())).collect() };
        let at = |place: [usize; 4], sizes: [usize; 3]| {
            ((place[0] * sizes[0] + place[1]) * sizes[1] + place[2]) * sizes[2] + place[3]
        };
        let of_image = |channel_count: usize| [channel_count, side, side];
        // One tap per filter, one gradient per filter.
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let taps: Vec<Entry> = (0..filters)
            .map(|k| Entry { at: [k, k * 7 % channels, k % 3, k / 3 % 3], value: 1.0 + (k % 3) as f32 })
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let gradients: Vec<Entry> = (0..filters)
            .map(|k| Entry { at: [k % batch, k, k * 5 % side, k * 11 % side], value: 1.0 + (k % 2) as f32 })
            .collect();
        let sparse = |length: usize, entries: &[Entry], sizes: [usize; 3]| {
            let mut values = vec![0.0_f32; length];
            for entry in entries {
                values[at(entry.at, sizes)] = entry.value;
            }
            values
        };
        // The place in the other image that a tap pairs with this one, inside the image.
        let moved = |place: usize, tap: usize| (place + tap).checked_sub(1).filter(|place| *place < side);
        let filter_sizes = [channels, 3, 3];
        let (input, filter, output, expected) = match pass {
            Pass::Forward => {
                let input = dense(shape.input());
                let mut expected = vec![0.0; shape.output()];
                for Entry { at: [k, c, r, s], value } in &taps {
                    for n in 0..batch {
                        for y in 0..side {
                            let Some(from_y) = moved(y, *r) else { continue };
                            for x in 0..side {
                                let Some(from_x) = moved(x, *s) else { continue };
                                expected[at([n, *k, y, x], of_image(filters))] +=
                                    value * input[at([n, *c, from_y, from_x], of_image(channels))];
                            }
                        }
                    }
                }
                let filter = sparse(shape.filter(), &taps, filter_sizes);
                (input, filter, vec![0.0; shape.output()], expected)
            }
            Pass::BackwardData => {
                let output = dense(shape.output());
                let mut expected = vec![0.0; shape.input()];
                for Entry { at: [k, c, r, s], value } in &taps {
                    for n in 0..batch {
                        for y in 0..side {
                            let Some(to_y) = moved(y, *r) else { continue };
                            for x in 0..side {
                                let Some(to_x) = moved(x, *s) else { continue };
                                expected[at([n, *c, to_y, to_x], of_image(channels))] +=
                                    value * output[at([n, *k, y, x], of_image(filters))];
                            }
                        }
                    }
                }
                let filter = sparse(shape.filter(), &taps, filter_sizes);
                (vec![0.0; shape.input()], filter, output, expected)
            }
            Pass::BackwardFilter => {
                let input = dense(shape.input());
                let mut expected = vec![0.0; shape.filter()];
                for Entry { at: [n, k, y, x], value } in &gradients {
                    for c in 0..channels {
                        for r in 0..3 {
                            let Some(from_y) = moved(*y, r) else { continue };
                            for s in 0..3 {
                                let Some(from_x) = moved(*x, s) else { continue };
                                expected[at([*k, c, r, s], filter_sizes)] +=
                                    value * input[at([*n, c, from_y, from_x], of_image(channels))];
                            }
                        }
                    }
                }
                let output = sparse(shape.output(), &gradients, of_image(filters));
                (input, vec![0.0; shape.filter()], output, expected)
            }
        };
        let encode = |values: &[f32]| values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        Self { input: encode(&input), filter: encode(&filter), output: encode(&output), expected }
    }

    /// How many values are not those expected.
    ///
    /// cuDNN may use TF32 from Ampere on and the transforms of Winograd and FFT everywhere, whose rounding nobody bounds;
    /// a healthy card must not be called broken for it. Every right result is a whole number, so what is nearer to it
    /// than a quarter stands for it.
    pub(super) fn differences(&self, got: &[f32]) -> usize {
        const TOLERANCE: f32 = 0.25;
        let bad = got.iter().zip(&self.expected).filter(|(got, expected)| {
            let difference = (*got - *expected).abs();
            difference.is_nan() || difference > TOLERANCE
        });
        bad.count() + self.expected.len().abs_diff(got.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &[i8], b: &[i8], n: usize) -> Vec<f32> {
        let mut c = vec![0.0; n * n];
        for column in 0..n {
            for row in 0..n {
                let sum: i32 = (0..n).map(|k| i32::from(a[k * n + row]) * i32::from(b[column * n + k])).sum();
                c[column * n + row] = f32::from(i16::try_from(sum).expect("small"));
            }
        }
        c
    }

    #[test]
    fn one_wrong_element_is_one_wrong_row() {
        let (a, b) = (matrix(32, 1), matrix(32, 2));
        let mut c = product(&a, &b, 32);
        assert!(wrong_rows(&a, &b, &c, 32).is_empty());
        c[5 * 32 + 17] += 1.0;
        assert_eq!(wrong_rows(&a, &b, &c, 32), [17]);
        c[0] = f32::NAN;
        assert_eq!(wrong_rows(&a, &b, &c, 32), [0, 17]);
        assert_eq!(wrong_rows(&a, &b, &c[..10], 32).len(), 32);
    }

    #[test]
    fn small_numbers_in_every_format() {
        assert_eq!(as_f16(&[-3, 1]), [0xC200_u16.to_ne_bytes(), 0x3C00_u16.to_ne_bytes()].concat());
        assert_eq!(as_bf16(&[-3, 1]), [0xC040_u16.to_ne_bytes(), 0x3F80_u16.to_ne_bytes()].concat());
        assert_eq!(to_f32(&as_f32(&[-3, 0, 2])), [-3.0, 0.0, 2.0]);
    }

    /// The sparse shortcuts against the definition, on a small layer.
    #[test]
    fn convolutions_by_their_definition() {
        let shape = Shape { batch: 2, channels: 4, filters: 3, side: 6 };
        let at = |n: usize, c: usize, y: usize, x: usize, count: usize| ((n * count + c) * 6 + y) * 6 + x;
        for pass in [Pass::Forward, Pass::BackwardData, Pass::BackwardFilter] {
            let data = Convolution::new(shape, pass);
            let (input, filter, output) = (to_f32(&data.input), to_f32(&data.filter), to_f32(&data.output));
            let mut expected = vec![0.0; data.expected.len()];
            for n in 0..2 {
                for k in 0..3 {
                    for c in 0..4 {
                        for (y, x) in (0..36_usize).map(|place| (place / 6, place % 6)) {
                            for (r, s) in (0..9_usize).map(|tap| (tap / 3, tap % 3)) {
                                let (Some(v), Some(u)) = ((y + r).checked_sub(1), (x + s).checked_sub(1)) else {
                                    continue;
                                };
                                if v >= 6 || u >= 6 {
                                    continue;
                                }
                                let tap = ((k * 4 + c) * 3 + r) * 3 + s;
                                let (out, inn) = (at(n, k, y, x, 3), at(n, c, v, u, 4));
                                match pass {
                                    Pass::Forward => expected[out] += input[inn] * filter[tap],
                                    Pass::BackwardData => expected[inn] += output[out] * filter[tap],
                                    Pass::BackwardFilter => expected[tap] += output[out] * input[inn],
                                }
                            }
                        }
                    }
                }
            }
            assert_eq!(data.expected, expected, "{pass:?}");
            assert_eq!(data.differences(&expected), 0);
            let rounded: Vec<f32> = expected.iter().map(|value| value + 0.1).collect();
            assert_eq!(data.differences(&rounded), 0);
            assert!(expected.iter().all(|value| value.fract() == 0.0));
            expected[1] += 1.0;
            assert_eq!(data.differences(&expected), 1);
        }
    }

    #[test]
    fn the_text_is_for_the_device_or_for_one_before_it() {
        assert!(ptx(6, 1).contains(".target sm_61"));
        assert!(ptx(8, 6).starts_with(".version 7.1"));
        assert!(ptx(10, 3).contains(".target sm_90"));
        assert!(ptx(13, 0).contains(".target sm_90"));
    }
}
