// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cluster/manifests.h"

#include <string>

namespace cannery::cluster {

/// A headless service, a network policy, a disruption budget, the claim unless there is one, and an
/// Indexed Job whose pods find their tasks by clusterOfIndexedJob(). The request is checked.
std::string indexedJobManifests(const ManifestRequest& request);

/// The same with a TFJob, whose operator makes the services and TF_CONFIG.
std::string tfJobManifests(const ManifestRequest& request);

} // namespace cannery::cluster
