#include "scenarios/report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string_view>

#include "scenarios/report/figures.hpp"

namespace trainsim {
namespace {

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

// Nanoseconds are the resolution of the file; whole ones keep neighbours from overlapping by rounding. What comes after
// 285 years is put there.
std::int64_t nanoseconds(double seconds) {
  constexpr double kLast_s = 9e9;
  return std::llround(std::min(seconds, kLast_s) * 1e9);
}

std::string_view activity_name(Activity activity) {
  switch (activity) {
    case Activity::forward:
      return "forward";
    case Activity::backward:
      return "backward";
    case Activity::recompute:
      return "recompute";
    case Activity::optimizer:
      return "optimizer";
    case Activity::host:
      return "host";
    case Activity::data_loading:
      return "data_loading";
  }
  return "unknown";
}

// The events of a trace, one line each.
class EventWriter {
 public:
  explicit EventWriter(std::ostream& out) : out_(out) { out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"; }

  // Begins a process; the tracks that follow belong to it.
  void begin_process(const std::string& name) {
    ++process_;
    track_ = 0;
    metadata("process_name", fmt::format("{{\"name\":{}}}", quoted(name)));
    metadata("process_sort_index", fmt::format("{{\"sort_index\":{}}}", process_));
  }

  // Adds a track to the current process and returns its number.
  int add_track(const std::string& name) {
    ++track_;
    metadata("thread_name", fmt::format("{{\"name\":{}}}", quoted(name)));
    metadata("thread_sort_index", fmt::format("{{\"sort_index\":{}}}", track_));
    return track_;
  }

  // A slice of the current process; `members` is the rest of the event's JSON, "name", "cat" and "args".
  void slice(int track, std::int64_t start_ns, std::int64_t end_ns, std::string_view members) {
    separate();
    const std::int64_t length_ns = end_ns - start_ns;
    fmt::format_to(std::back_inserter(line_), R"({{"ph":"X","pid":{},"tid":{},"ts":{}.{:03},"dur":{}.{:03},{}}})",
                   process_, track, start_ns / 1000, start_ns % 1000, length_ns / 1000, length_ns % 1000, members);
    flush();
  }

  void finish() { out_ << "\n]}\n"; }

 private:
  void metadata(std::string_view kind, const std::string& arguments) {
    separate();
    fmt::format_to(std::back_inserter(line_), R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{}}})", process_,
                   track_, kind, arguments);
    flush();
  }
  void separate() {
    if (!is_first_) line_.append(std::string_view(",\n"));
    is_first_ = false;
  }
  void flush() {
    out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
  }

  std::ostream& out_;
  fmt::memory_buffer line_;
  bool is_first_ = true;
  int process_ = 0;
  int track_ = 0;
};

class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const TraceSource& source)
      : events_(out),
        timeline_(source.timeline),
        program_(source.program),
        names_(source.names),
        members_(source.names.members) {
    check();
    find_streams();
    describe_ops();
    sort_spans_into_tracks();
  }

  void write() {
    write_steps();
    for (std::size_t rank_class = 0; rank_class < names_.rank_classes.size(); ++rank_class) write_ranks(rank_class);
    events_.begin_process("communicators");
    for (std::size_t i = 0; i < names_.transfer_classes.size(); ++i)
      write_track(names_.transfer_classes[i], transfers_[i]);
    write_links();
    events_.finish();
  }

 private:
  using SpanIndices = std::vector<std::uint32_t>;

  void check() const {
    const bool is_valid = std::all_of(timeline_.spans.begin(), timeline_.spans.end(), [this](const Span& span) {
      const std::size_t actors = span.is_transfer ? names_.transfer_classes.size() : names_.rank_classes.size();
      const std::size_t ops = span.is_transfer ? program_.collectives.size() : program_.works.size();
      return span.actor < actors && span.what < ops;
    });
    const auto fits = [](const auto& list, std::size_t size) { return list.empty() || list.size() == size; };
    const bool has_all_links = std::all_of(timeline_.loads.begin(), timeline_.loads.end(), [this](const auto& loads) {
      return loads.size() == names_.link_classes.size();
    });
    const bool has_all_steps =
        timeline_.step_ends_s.empty() || timeline_.last_measured_step < timeline_.step_ends_s.size();
    if (!is_valid || !has_all_links || !has_all_steps || !fits(names_.rank_population, names_.rank_classes.size()) ||
        !fits(members_, names_.transfer_classes.size())) {
      throw std::invalid_argument("a trace's names do not match its timeline");
    }
  }

  // The stream that each collective runs on, as the program says.
  void find_streams() {
    stream_of_collective_.assign(program_.collectives.size(), Stream::data_comm);
    for (const StageProgram& stage : program_.stages) {
      for (std::size_t stream = 0; stream < kStreams; ++stream) {
        for (const Op& op : stage.ops[stream]) {
          if (op.kind == Op::Kind::collective) stream_of_collective_.at(op.what) = static_cast<Stream>(stream);
        }
      }
    }
  }

  // The constant part of each op's slices, made once.
  void describe_ops() {
    for (const Work& work : program_.works) {
      works_.push_back(
          fmt::format(R"("name":{},"cat":"{}","args":{{)", quoted(work.name), activity_name(work.activity)));
    }
    for (const Collective& collective : program_.collectives) {
      collectives_.push_back(fmt::format(R"("name":{},"cat":"transfer","args":{{"bytes":{:.0f},)",
                                         quoted(collective.name), collective.bytes));
    }
  }

  void sort_spans_into_tracks() {
    ranks_.resize(names_.rank_classes.size());
    transfers_.resize(names_.transfer_classes.size());
    for (std::size_t i = 0; i < timeline_.spans.size(); ++i) {
      const Span& span = timeline_.spans[i];
      if (span.step < timeline_.first_measured_step || span.step > timeline_.last_measured_step) continue;
      const auto index = static_cast<std::uint32_t>(i);
      if (!span.is_transfer) {
        const bool is_host = program_.works[span.what].activity == Activity::host;
        ranks_[span.actor][static_cast<std::size_t>(is_host ? Stream::host : Stream::compute)].push_back(index);
        continue;
      }
      transfers_[span.actor].push_back(index);
      if (members_.empty()) continue;
      const auto stream = static_cast<std::size_t>(stream_of_collective_[span.what]);
      for (const std::uint32_t rank_class : members_[span.actor]) ranks_.at(rank_class)[stream].push_back(index);
    }
  }

  void write_steps() {
    events_.begin_process("steps");
    const int track = events_.add_track("measured steps");
    for (const std::size_t step : measured_steps()) {
      events_.slice(track, nanoseconds(start_of(step)), nanoseconds(timeline_.step_ends_s[step]),
                    fmt::format(R"("name":"step {}","cat":"step","args":{{}})", step));
    }
  }

  void write_ranks(std::size_t rank_class) {
    std::string name = names_.rank_classes[rank_class];
    if (!names_.rank_population.empty()) name += fmt::format(" x{:.0f}", names_.rank_population[rank_class]);
    events_.begin_process(name);
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      write_track(std::string(kStreamNames[stream]), ranks_[rank_class][stream]);
    }
  }

  void write_track(const std::string& name, SpanIndices& spans) {
    std::stable_sort(spans.begin(), spans.end(), [this](std::uint32_t a, std::uint32_t b) {
      return timeline_.spans[a].start_s < timeline_.spans[b].start_s;
    });
    struct Lane {
      int track;
      std::int64_t end_ns;
    };
    std::vector<Lane> lanes;
    for (const std::uint32_t index : spans) {
      const Span& span = timeline_.spans[index];
      const std::int64_t start_ns = nanoseconds(span.start_s);
      auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& each) { return each.end_ns <= start_ns; });
      if (lane == lanes.end()) lane = lanes.insert(lane, {events_.add_track(name), 0});
      lane->end_ns = std::max(start_ns, nanoseconds(span.end_s));
      events_.slice(lane->track, start_ns, lane->end_ns,
                    (span.is_transfer ? collectives_[span.what] : works_[span.what]) + place_of(span));
    }
  }

  // The rest of a slice's arguments. What belongs to the step as a whole has no micro-batch.
  static std::string place_of(const Span& span) {
    if (span.micro_batch < 0) return fmt::format(R"("step":{}}})", span.step);
    return fmt::format(R"("step":{},"micro_batch":{},"chunk":{}}})", span.step, span.micro_batch, span.chunk);
  }

  void write_links() {
    events_.begin_process("links");
    for (std::size_t link_class = 0; link_class < names_.link_classes.size(); ++link_class) {
      const int track = events_.add_track(names_.link_classes[link_class]);
      for (const std::size_t step : measured_steps()) {
        if (step < timeline_.loads.size()) write_load(track, step, timeline_.loads[step][link_class]);
      }
    }
  }

  void write_load(int track, std::size_t step, const LinkLoad& load) {
    const double length_s = timeline_.step_ends_s[step] - start_of(step);
    const double mean = length_s > 0.0 ? load.bytes / length_s : 0.0;
    const std::string text = fmt::format("mean {}, peak {}, saturated for {}", bandwidth(mean),
                                         bandwidth(load.peak_bytes_per_s), duration(load.saturated_s));
    constexpr std::string_view kMembers =
        R"("name":{},"cat":"link","args":{{"step":{},"mean_bytes_per_s":{},"peak_bytes_per_s":{},"saturated_s":{}}})";
    events_.slice(track, nanoseconds(start_of(step)), nanoseconds(timeline_.step_ends_s[step]),
                  fmt::format(kMembers, quoted(text), step, mean, load.peak_bytes_per_s, load.saturated_s));
  }

  [[nodiscard]] std::vector<std::size_t> measured_steps() const {
    std::vector<std::size_t> steps;
    if (timeline_.step_ends_s.empty()) return steps;
    for (std::size_t step = timeline_.first_measured_step; step <= timeline_.last_measured_step; ++step) {
      steps.push_back(step);
    }
    return steps;
  }

  [[nodiscard]] double start_of(std::size_t step) const { return step == 0 ? 0.0 : timeline_.step_ends_s[step - 1]; }

  EventWriter events_;
  const Timeline& timeline_;
  const Program& program_;
  const TraceNames& names_;
  const std::vector<std::vector<std::uint32_t>>& members_;
  std::vector<Stream> stream_of_collective_;
  std::vector<std::string> works_, collectives_;
  std::vector<std::array<SpanIndices, kStreams>> ranks_;
  std::vector<SpanIndices> transfers_;
};

}  // namespace

void write_trace(std::ostream& out, const TraceSource& source) { TraceWriter(out, source).write(); }

}  // namespace trainsim
