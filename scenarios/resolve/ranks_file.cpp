#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "scenarios/resolve/placement.hpp"

namespace trainsim {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{16} << 20;
constexpr std::string_view kAllowed = "a GPU's index, or node.gpu such as 3.5";

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The index in the machine; nullopt when the text is no such thing or there is no such GPU.
std::optional<std::size_t> gpu_index(std::string_view text, std::size_t nodes, std::size_t of_node) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    const std::optional<std::size_t> index = whole_number(text);
    return index && *index < nodes * of_node ? index : std::nullopt;
  }
  const std::optional<std::size_t> node = whole_number(text.substr(0, dot));
  const std::optional<std::size_t> gpu = whole_number(text.substr(dot + 1));
  if (!node || !gpu || *node >= nodes || *gpu >= of_node) return std::nullopt;
  return *node * of_node + *gpu;
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

// Why the file cannot be read at all; empty when it can.
std::string obstacle(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return "the placement file does not exist";
  if (!std::filesystem::is_regular_file(status)) return "the placement file is no regular file";
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return "the placement file cannot be read";
  if (size > kMostBytes) return "the placement file is larger than 16 MiB";
  return {};
}

// Reads line by line; keeps which line named a GPU first, so that a repetition can say so.
class RanksReader {
 public:
  RanksReader(const Topology& topology, std::string file, Findings& findings)
      : nodes_(topology.node_count()),
        of_node_(topology.gpus().size() / topology.node_count()),
        line_of_gpu_(topology.gpus().size(), 0),
        file_(std::move(file)),
        findings_(findings) {}

  void read(std::string_view line, int number) {
    const std::string_view text = trimmed(line);
    if (text.empty()) return;
    const int column = static_cast<int>(text.data() - line.data()) + 1;
    const std::optional<std::size_t> index = gpu_index(text, nodes_, of_node_);
    if (!index) {
      fault(number, column, fmt::format("'{}' is no GPU of the {} nodes with {} GPUs each", text, nodes_, of_node_));
      return;
    }
    if (line_of_gpu_[*index] != 0) {
      fault(number, column, fmt::format("GPU {} already has the rank of line {}", text, line_of_gpu_[*index]));
      return;
    }
    line_of_gpu_[*index] = number;
    gpus_.emplace_back(*index);
  }

  [[nodiscard]] bool is_faulty() const { return is_faulty_; }
  [[nodiscard]] const std::vector<GpuId>& gpus() const { return gpus_; }

 private:
  void fault(int line, int column, std::string what) {
    findings_.fault_at({file_, line, column}, std::move(what), std::string(kAllowed));
    is_faulty_ = true;
  }

  std::size_t nodes_, of_node_;
  std::vector<int> line_of_gpu_;  // 0: not named yet
  std::string file_;
  Findings& findings_;
  std::vector<GpuId> gpus_;
  bool is_faulty_ = false;
};

}  // namespace

std::optional<std::vector<GpuId>> read_ranks(const std::filesystem::path& path, std::int64_t ranks,
                                             const Topology& topology, Findings& findings) {
  if (const std::string reason = obstacle(path); !reason.empty()) {
    findings.fault("cluster.placement.file", fmt::format("{}: {}", path.string(), reason),
                   "a text file with one GPU per line");
    return std::nullopt;
  }
  std::ifstream stream(path);
  if (!stream) {
    findings.fault("cluster.placement.file", fmt::format("{}: the placement file cannot be opened", path.string()),
                   "a readable file");
    return std::nullopt;
  }
  RanksReader reader(topology, path.string(), findings);
  std::string line;
  int number = 0;
  while (std::getline(stream, line)) reader.read(line, ++number);
  if (reader.is_faulty()) return std::nullopt;
  if (static_cast<std::int64_t>(reader.gpus().size()) != ranks) {
    findings.fault_at({path.string(), std::max(number, 1), 1},
                      fmt::format("{} GPUs are named, but the job has {} ranks", reader.gpus().size(), ranks),
                      "one line per rank");
    return std::nullopt;
  }
  return reader.gpus();
}

}  // namespace trainsim
