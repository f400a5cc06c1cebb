// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::features {

class FeatureEncoder;

/// Text that is the same for two encoders of one engine only if they make the same numbers of the
/// same raw features, given that the files they read (filesReadBy()) are the same. Networks,
/// embeddings and optimizers do not count.
std::string encodingSignature(const FeatureEncoder& encoder);

/// Files that its feature columns are made from (vocabularies), as the experiment writes them.
std::vector<std::string> filesReadBy(const FeatureEncoder& encoder);

} // namespace cannery::features
