//! Values in words: sizes, durations and other amounts with their units.

use super::Value;
use super::definition::Unit;
use crate::amounts::size;

/// A value in words.
pub(super) fn words(value: &Value, unit: Option<Unit>) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => amount(*number, unit),
        Value::Text(text) => text.clone(),
        Value::List(items) => items.join(", "),
    }
}

fn amount(number: f64, unit: Option<Unit>) -> String {
    let symbol = match unit {
        Some(Unit::Bytes) => return size(number),
        None => return plain(number),
        Some(Unit::Seconds) => "s",
        Some(Unit::Milliseconds) => "ms",
        Some(Unit::Celsius) => "°C",
        Some(Unit::Watts) => "W",
        Some(Unit::Megahertz) => "MHz",
        Some(Unit::Percent) => "%",
    };
    format!("{} {symbol}", plain(number))
}

fn plain(number: f64) -> String {
    let rounded = (number * 1000.0).round() / 1000.0;
    if rounded.is_finite() { rounded.to_string() } else { number.to_string() }
}
