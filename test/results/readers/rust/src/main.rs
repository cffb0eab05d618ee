//! Reads a histogram log with Rust's HdrHistogram: prints the count, percentiles and maximum of the sum of each tag.

use base64::prelude::{Engine, BASE64_STANDARD};
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::Histogram;
use std::collections::BTreeMap;

const PERCENTILES: [f64; 7] = [50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0];

fn main() {
    let path = std::env::args().nth(1).expect("the path of a log");
    let log = std::fs::read(path).expect("a log");
    let mut sums: BTreeMap<String, Histogram<u64>> = BTreeMap::new();
    for entry in IntervalLogIterator::new(&log) {
        let LogEntry::Interval(interval) = entry.expect("an entry") else { continue };
        let tag = interval.tag().map(|tag| tag.as_str().to_owned()).unwrap_or_default();
        let payload = BASE64_STANDARD.decode(interval.encoded_histogram()).expect("base64");
        let histogram: Histogram<u64> =
            Deserializer::new().deserialize(&mut payload.as_slice()).expect("a histogram");
        let sum = sums.entry(tag).or_insert_with(|| Histogram::new(3).expect("three digits"));
        sum.add(&histogram).expect("a sum");
    }
    let tags: Vec<String> = sums.iter().map(|(tag, sum)| format!("\"{tag}\":{:?}", figures(sum))).collect();
    println!("{{\"tags\":{{{}}}}}", tags.join(","));
}

fn figures(sum: &Histogram<u64>) -> Vec<u64> {
    if sum.is_empty() {
        return vec![0];
    }
    std::iter::once(sum.len()).chain(PERCENTILES.iter().map(|&percentile| sum.value_at_percentile(percentile))).collect()
}
