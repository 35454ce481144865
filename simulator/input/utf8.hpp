// UTF-8, as far as reading and printing a file needs it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainsim {

// Bytes of the well-formed UTF-8 sequence that starts at `at` (1 to 4), or 0 where there is none: overlong forms,
// surrogates and values above U+10FFFF are not well-formed. REQUIRES: at < text.size().
std::size_t utf8_sequence_length(std::string_view text, std::size_t at);

// Characters (code points) in `text`; a byte that is no part of a sequence counts as one.
std::size_t utf8_length(std::string_view text);

// `text` with control characters (C0, DEL, C1) and bytes that are not UTF-8 as \n, \t or \xNN: safe to print in one
// line.
std::string escaped(std::string_view text);

}  // namespace trainsim
