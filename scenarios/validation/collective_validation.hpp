// Published measurements of collectives against what the simulator predicts for an idle machine of the same topology.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/validation/error_summary.hpp"

namespace trainsim {

struct ComparedCollective {
  std::string place;  // file and line
  std::string source, collective, accelerator;
  std::string network;    // the protocol between nodes; "one node"
  std::string algorithm;  // as predicted
  std::int64_t nodes = 0, gpus = 0;
  double bytes = 0.0, measured_s = 0.0, predicted_s = 0.0;

  [[nodiscard]] double error() const { return predicted_s / measured_s - 1.0; }
};

struct CollectiveValidation {
  struct Group {
    std::string collective, accelerator, network;
    ErrorSummary time;  // over bytes
  };
  struct SetAside {
    std::string why;
    std::size_t rows = 0;
  };

  std::vector<ComparedCollective> compared;  // in the tables' order
  std::vector<Group> groups;                 // by collective, accelerator, network
  ErrorSummary all;
  std::vector<ComparedCollective> worst;  // five, the worst first
  std::vector<SetAside> set_aside;        // rows that are not compared, by reason; the most rows first
};

// `folder` has kernels/collectives_tables.csv and measured/collectives.csv. Throws InputError for a table that cannot
// be read.
CollectiveValidation validate_collectives(const std::filesystem::path& folder);

std::string collective_table(const CollectiveValidation& validation);
nlohmann::ordered_json collective_json(const CollectiveValidation& validation);

}  // namespace trainsim
