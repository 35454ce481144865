// The files of this folder's catalog: what published rows mean (sources, names, kernels, collective_tables).
#pragma once

#include "simulator/base/embedded_folder.hpp"

namespace trainsim {

EmbeddedFolder validation_catalog_files();

}  // namespace trainsim
