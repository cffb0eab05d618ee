#!/usr/bin/env bash
# hdr-histogram-js 3.0.1 writes a normalizing offset of 1 and an integer-to-double ratio of 5e-324 into the head of a V2 payload.
# The format comes from HdrHistogram for Java, which writes 0 and 1.0 for the same histogram. JavaScript, Python, Go and Java ignore the
# ratio, so a round trip looks fine; Rust's hdrhistogram 7.6.0 refuses the payload.
#
# One would guess that payloads of one format open in every port.
#
# Seen on 2026-11-28:
#   hdr-histogram-js 3.0.1: offset 1, ratio 5e-324
#   hdrhistogram 7.6.0, as written: Err(UnsupportedFeature)
#   hdrhistogram 7.6.0, with offset 0 and ratio 1.0: Ok(42)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix js hdr-histogram-js@3.0.1
cat >js/write.cjs <<'JS'
const { build, encodeIntoCompressedBase64 } = require('hdr-histogram-js');
const { deflateSync, inflateSync } = require('node:zlib');
const histogram = build({ numberOfSignificantValueDigits: 3 });
histogram.recordValue(42);
const payload = inflateSync(Buffer.from(encodeIntoCompressedBase64(histogram), 'base64').subarray(8));
console.log(payload.toString('hex'));
console.error(`hdr-histogram-js 3.0.1: offset ${payload.readInt32BE(8)}, ratio ${payload.readDoubleBE(32)}`);
payload.writeInt32BE(0, 8);
payload.writeDoubleBE(1, 32);
console.log(payload.toString('hex'));
JS
node js/write.cjs >payloads 2>js.txt

mkdir -p rust/src
cat >rust/Cargo.toml <<'TOML'
[package]
name = "read"
version = "0.0.0"
edition = "2021"
[dependencies]
hdrhistogram = { version = "=7.6.0", default-features = false, features = ["serialization"] }
TOML
cat >rust/src/main.rs <<'RUST'
use hdrhistogram::serialization::Deserializer;
use std::io::BufRead;
fn main() {
    for (name, line) in ["as written", "with offset 0 and ratio 1.0"].iter().zip(std::io::stdin().lock().lines()) {
        let hex = line.unwrap();
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
        let read = Deserializer::new().deserialize::<u64, _>(&mut bytes.as_slice()).map(|histogram| histogram.max());
        println!("hdrhistogram 7.6.0, {name}: {read:?}");
    }
}
RUST
cargo run --quiet --manifest-path rust/Cargo.toml <payloads >rust.txt

cat js.txt rust.txt | tee seen.txt
diff seen.txt - <<'SEEN'
hdr-histogram-js 3.0.1: offset 1, ratio 5e-324
hdrhistogram 7.6.0, as written: Err(UnsupportedFeature)
hdrhistogram 7.6.0, with offset 0 and ratio 1.0: Ok(42)
SEEN
