// One reader per section of the scenario file, each in its own file. `root` is the reader of the whole file; a reader
// marks its section as known, reports its faults, and leaves defaults where a key is absent.
#pragma once

#include "scenarios/format/scenario.hpp"
#include "simulator/input/reader.hpp"

namespace trainsim {

Model read_model(MapReader& root);
TrainingSection read_training(MapReader& root);
ParallelismSection read_parallelism(MapReader& root);
SoftwareSection read_software(MapReader& root);
ClusterSection read_cluster(MapReader& root);
ClusterSection::Fabric read_fabric(MapReader& cluster);
Conditions read_conditions(MapReader& root);
SimulationSection read_simulation(MapReader& root);
// Refused as a whole until the forecast prices a run.
void read_cost(MapReader& root);

}  // namespace trainsim
