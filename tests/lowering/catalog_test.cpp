#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "simulator/lowering/lowering.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {
namespace {

TEST(CollectiveCatalog, CoversEveryProtocolAndEveryArchitectureOfTheTopologyCatalog) {
  for (const char* protocol : {"infiniband", "roce", "efa", "slingshot", "ethernet-tcp"}) {
    for (const std::string& name : accelerator_names()) {
      const CollectiveCatalog catalog = collective_catalog(protocol, catalog_accelerator(name).architecture);
      for (const LinkKind kind : {LinkKind::nvlink, LinkKind::pcie, LinkKind::socket, LinkKind::nic, LinkKind::fabric,
                                  LinkKind::xgmi, LinkKind::roce}) {
        EXPECT_GT(catalog.of(kind).efficiency, 0.5) << protocol << name;
        EXPECT_LE(catalog.of(kind).efficiency, 1.0) << protocol << name;
        for (const Protocol one : kAllProtocols)
          EXPECT_GT(catalog.of(kind).hop_latency_s[one], 0.0) << protocol << name;
      }
      for (const Protocol one : kAllProtocols) EXPECT_GT(catalog.base_latency_s[one], 0.0);
      EXPECT_TRUE(catalog.is_estimated || !catalog.source.empty());
    }
  }
}

TEST(CollectiveCatalog, UnknownNamesAreErrorsThatListTheKnownOnes) {
  EXPECT_THROW(collective_catalog("token-ring", "hopper"), std::invalid_argument);
  try {
    collective_catalog("infiniband", "kepler");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("kepler"), testing::HasSubstr("hopper")));
  }
}

}  // namespace
}  // namespace trainsim
