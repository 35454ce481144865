// Numbers with units as scenario and catalog files write them: 900GB/s, 400Gb/s, 64MiB, 5us, 989TFLOP/s, 700W.
// B is bytes, b bits; k or K, M, G, T, P are powers of 1000, Ki, Mi, Gi, Ti of 1024. Values come back in SI base units
// (bytes, bytes/s, s, FLOP/s, W, degrees Celsius, USD, USD/kWh).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainsim {

enum class Unit { bytes, bytes_per_s, seconds, flops_per_s, watts, celsius, usd, usd_per_kwh };

// What to write for a quantity of this unit, e.g. "a bandwidth such as 400Gb/s or 900GB/s".
std::string_view example_of(Unit unit);

struct ParsedQuantity {
  double value = 0.0;  // in SI base units
  std::string error;   // empty when `value` is valid
};

// Never throws: the error says what is wrong ("a number without a unit", "a time where a bandwidth is due", …).
ParsedQuantity parse_quantity(std::string_view text, Unit unit);

// A plain number (no leading zeros, NaN or infinity); with `count_suffixes`, also 300B, 15T, 300M, 4k.
ParsedQuantity parse_number(std::string_view text, bool count_suffixes = false);

// Shortest exact text: format_quantity(4e11, Unit::bytes_per_s) == "400GB/s"; parse_quantity gives the value back bit
// by bit.
std::string format_quantity(double value, Unit unit);

}  // namespace trainsim
