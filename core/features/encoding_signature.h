// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::features {

class FeatureEncoder;

/// Text that two encoders of the same engine version share only if they encode raw features
/// identically, provided that the files they read (filesReadBy()) are the same. Networks
/// (but for which numbers they take as ids), embeddings and optimizers have no influence.
std::string encodingSignature(const FeatureEncoder& encoder);

/// The files that its feature columns read (vocabularies), as named in the experiment.
std::vector<std::string> filesReadBy(const FeatureEncoder& encoder);

} // namespace cannery::features
