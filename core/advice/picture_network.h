// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/starting_experiment.h"

#include <string>

namespace cannery::advice {

/// The feature column of pictures, [height, width, channels], if it is all that a model reads;
/// otherwise null. Lives as long as the experiment.
const spec::FeatureColumn* pictureColumn(const StartingExperiment& starting);

/// A small convolutional network over a column of pictures that decides between the classes of a
/// label, without optimizer: blocks of a convolution and a maximum over 2 x 2 pixels, each with
/// twice the filters of the one before, until at most 8 pixels are left in either direction, then a
/// dense layer. The pattern of LeNet (LeCun et al. 1998) and VGG (Simonyan and Zisserman 2015).
void setPictureNetwork(spec::CustomEstimator& estimator, const spec::FeatureColumn& picture,
                       const LabelChoice& label, double dropout);

} // namespace cannery::advice
