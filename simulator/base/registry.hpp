// A table of named variants (topology builders, schedules, collective algorithms …), filled explicitly in one place per
// kind: one line per variant. Order of registration is order of listing.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainsim {

template <class T>
class Registry {
 public:
  struct Entry {
    std::string name;
    std::string help;  // one line, shown by `trainsim list`
    T value;
  };

  void add(std::string name, std::string help, T value) {
    entries_.push_back({std::move(name), std::move(help), std::move(value)});
  }

  // The variant called `name`, or nullptr.
  [[nodiscard]] const T* find(std::string_view name) const {
    for (const Entry& entry : entries_) {
      if (entry.name == name) return &entry.value;
    }
    return nullptr;
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Entry& entry : entries_) result.push_back(entry.name);
    return result;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace trainsim
