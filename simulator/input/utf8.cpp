#include "simulator/input/utf8.hpp"

namespace trainsim {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (byte_at(text, at) & 0xC0U) == 0x80U;
}

// The range of the second byte is what excludes overlong forms, surrogates and values above U+10FFFF.
bool second_byte_is_valid(unsigned first, unsigned second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

void append_hex(std::string& out, unsigned byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0xFU];
}

bool is_control(std::string_view text, std::size_t at, std::size_t length) {
  const unsigned byte = byte_at(text, at);
  if (length == 1) return byte < 0x20 || byte == 0x7F;
  return length == 2 && byte == 0xC2 && byte_at(text, at + 1) < 0xA0;
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text, at + i)) return 0;
  }
  return second_byte_is_valid(first, byte_at(text, at + 1)) ? length : 0;
}

std::size_t utf8_length(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t length = utf8_sequence_length(text, at);
    at += length == 0 ? 1 : length;
  }
  return count;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text, at);
    if (length != 0 && !is_control(text, at, length)) {
      out += text.substr(at, length);
      at += length;
      continue;
    }
    const char c = text[at];
    const std::size_t bytes = length == 0 ? 1 : length;
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      for (std::size_t i = 0; i < bytes; ++i) append_hex(out, byte_at(text, at + i));
    }
    at += bytes;
  }
  return out;
}

}  // namespace trainsim
