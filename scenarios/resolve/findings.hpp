// What resolution finds while it decides: faults that point at the key responsible, and notes that the reader of a
// result must know. Nothing stops at the first fault.
#pragma once

#include <string>
#include <vector>

#include "simulator/input/document.hpp"
#include "simulator/input/input_error.hpp"

namespace trainsim {

class Findings {
 public:
  // `document` must outlive the findings.
  explicit Findings(const Document& document) : document_(document) {}

  // A fault at the value of the dotted `key`, or at the nearest map around it when the file leaves it to a default.
  void fault(const std::string& key, std::string what, std::string allowed = {});
  // A fault in another file that the scenario names.
  void fault_at(Location where, std::string what, std::string allowed = {});
  void note(std::string text) { notes_.push_back(std::move(text)); }

  [[nodiscard]] const Document& document() const { return document_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  // Throws an InputError with all faults, if there are any.
  void throw_if_any() const { diagnostics_.throw_if_any(); }

 private:
  const Document& document_;
  Diagnostics diagnostics_;
  std::vector<std::string> notes_;
};

}  // namespace trainsim
