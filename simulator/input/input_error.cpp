#include "simulator/input/input_error.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "simulator/input/utf8.hpp"

namespace trainsim {

namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!result.empty()) result += '\n';
    result += diagnostic.text();
  }
  return result;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Levenshtein's distance.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string Diagnostic::text() const {
  std::string result = escaped(where.file);
  if (where.line > 0) result += ':' + std::to_string(where.line) + ':' + std::to_string(where.column);
  result += ": ";
  if (!key.empty()) result += escaped(key) + ": ";
  result += escaped(what);
  if (!allowed.empty()) result += "; " + escaped(allowed);
  return result;
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::throw_if_any() const {
  if (diagnostics_.empty()) return;
  std::vector<Diagnostic> sorted = diagnostics_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) < std::tie(b.where.file, b.where.line, b.where.column);
  });
  throw InputError(std::move(sorted));
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  const std::string wanted = lower_case(word);
  const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 3);
  // Letters' case only decides between words that are equally close without it.
  std::pair<std::size_t, std::size_t> best = {limit + 1, 0};
  std::string result;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(wanted.size(), candidate.size());
    const std::size_t shorter = std::min(wanted.size(), candidate.size());
    if (longer - shorter > limit) continue;
    const std::pair distance = {edit_distance(wanted, lower_case(candidate)),
                                edit_distance(std::string(word), candidate)};
    // A word with nothing in common is no help, however short.
    if (distance < best && distance.first < shorter) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

}  // namespace trainsim
