// Numbers as people read them: four significant digits, a unit always.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainsim {

std::string grouped(std::int64_t value);                         // "1,536"
std::string counted(std::int64_t count, std::string_view noun);  // "1 node", "192 nodes"
std::string significant(double value);                           // "20.83", "151,234", "0.0125"
std::string percent(double share);                               // "62.0 %"
std::string gibibytes(double bytes);                             // "61.2 GiB"
std::string mebibytes(double bytes);                             // "85 MiB"
std::string bandwidth(double bytes_per_s);                       // "450 GB/s"
std::string scaled_count(double count);                          // "174.6B" (10^9), "1.5M"
std::string duration(double seconds);                            // "812.3 ms", "20.83 s", "34.5 min", "22.97 days"

// A list with repeats shortened: "7, 8 x10, 7".
std::string runs(const std::vector<std::int64_t>& values);

// Text from a file, safe for a terminal: control characters become \xNN.
std::string printable(std::string_view text);

// Breaks text at spaces into lines of at most `width` characters; each begins with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);
// The same as an item of a list: "  - text", continued under the text.
std::string bullet(std::string_view text, std::size_t width);

}  // namespace trainsim
