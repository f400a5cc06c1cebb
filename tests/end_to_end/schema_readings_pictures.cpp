// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

namespace {

constexpr const char* kExperiment = "augmentation.cannery";
const std::string kPictureLayer = "estimator.custom_estimator.graph.layer";

/// The fields of layers that move the pixels of an image to other places.
std::vector<SchemaReading> ofMoves()
{
    std::vector<SchemaReading> readings;
    const auto add = [&](const std::string& layer, const std::vector<std::string>& changes) {
        for (const std::string& change : changes) {
            readings.push_back({kExperiment, {}, kPictureLayer + layer + change});
        }
    };
    const std::vector<std::string> filling{".fill_mode=wrap", ".interpolation=nearest",
                                           ".fill_value=0.9"};
    for (const std::string layer :
         {"[turn].random_rotation", "[zoom].random_zoom", "[move].random_translation"}) {
        add(layer, filling);
    }
    add("[turn].random_rotation", {".lower=-0.1", ".upper=0.2"});
    for (const std::string layer : {"[zoom].random_zoom", "[move].random_translation"}) {
        add(layer,
            {".height_lower=-0.1", ".height_upper=0.2", ".width_lower=-0.05", ".width_upper=0.1"});
    }
    return readings;
}

} // namespace

/// Layers that resize, cut and change pictures.
std::vector<SchemaReading> readingsOfPictures()
{
    const std::string& layer = kPictureLayer;
    return joined(
        {{{kExperiment, {}, layer + "[sized].resizing.height=9"},
          {kExperiment, {}, layer + "[sized].resizing.width=9"},
          {kExperiment, {}, layer + "[sized].resizing.interpolation=nearest"},
          {kExperiment, {}, layer + "[sized].resizing.crop_to_aspect_ratio=false"},
          {kExperiment, {}, layer + "[flip].random_flip.mode=vertical"},
          {kExperiment, {}, layer + "[contrast].random_contrast.lower=0.1"},
          {kExperiment, {}, layer + "[contrast].random_contrast.upper=0.6"},
          {kExperiment, {}, layer + "[light].random_brightness.lower=-0.1"},
          {kExperiment, {}, layer + "[light].random_brightness.upper=0.6"},
          {kExperiment, {}, layer + "[light].random_brightness.value_min=0.4"},
          {kExperiment, {}, layer + "[light].random_brightness.value_max=0.6"},
          {kExperiment, {}, layer + "[part].random_crop.height=5"},
          {kExperiment, {}, layer + "[part].random_crop.width=5"},
          {kExperiment, {}, layer + "[middle].center_crop.height=3"},
          {kExperiment, {}, layer + "[middle].center_crop.width=4"},
          {kExperiment, {}, layer + "[middle].random_crop={ height: 4 width: 5 }"},
          {kExperiment, {}, layer + "[part].center_crop={ height: 6 width: 6 }"},
          {kExperiment, {}, layer + "[middle].resizing={ height: 4 width: 5 }"},
          {kExperiment, {}, layer + "[flip].random_contrast={ lower: 0.5 upper: 0.5 }"},
          {kExperiment, {}, layer + "[contrast].random_flip={}"},
          {kExperiment, {}, layer + "[light].random_rotation={ lower: 0.1 upper: 0.2 }"},
          {kExperiment, {}, layer + "[turn].random_zoom={ height_lower: 0.1 height_upper: 0.2 }"},
          {kExperiment,
           {},
           layer + "[turn].random_translation={ height_lower: 0.1 height_upper: 0.2 "
                   "width_lower: 0.1 width_upper: 0.2 }"},
          {kExperiment,
           {},
           layer + "[turn].random_brightness={ lower: 0.1 upper: 0.2 value_max: 1 }"}},
         ofMoves()});
}

} // namespace cannery::tests
