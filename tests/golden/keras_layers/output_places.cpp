// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/output_places.h"

#include <nlohmann/json.hpp>

#include <numeric>
#include <string>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

std::vector<std::int64_t> sameOrder(std::size_t count)
{
    std::vector<std::int64_t> places(count);
    std::iota(places.begin(), places.end(), std::int64_t{0});
    return places;
}

/// The output of a recurrent layer of ours: rows, steps (1 if only the last is given), directions
/// side by side, units.
class RecurrentPlaces
{
public:
    explicit RecurrentPlaces(const Json& layerCase)
        : m_case(layerCase), m_config(layerCase["config"]),
          m_isBidirectional(layerCase["class"] == "Bidirectional"),
          m_steps(m_isBidirectional ? m_config["layer"]["config"] : m_config),
          m_rows(layerCase["inputs"][0]["shape"][0]),
          m_inputSteps(layerCase["inputs"][0]["shape"][1])
    {
        const bool isApart = m_isBidirectional && m_config["merge_mode"].is_null();
        const bool isBeside = m_isBidirectional && m_config["merge_mode"] == "concat";
        m_outputs = isApart ? 2 : 1;
        m_directions = isApart || isBeside ? 2 : 1;
        const std::int64_t width = layerCase["outputs"][0]["shape"].back();
        m_units = isBeside ? width / 2 : width;
        m_everyStep = m_steps.value("return_sequences", false);
        m_zeroesHidden = m_isBidirectional || m_config.value("zero_output_for_mask", false);
    }

    OutputPlaces find() const
    {
        OutputPlaces places;
        const Json& outputs = m_case["outputs"];
        for (std::size_t output = 0; output < outputs.size(); ++output) {
            const std::size_t count = outputs[output]["values"].size();
            if (output >= m_outputs) {
                places.push_back(ofState(output - m_outputs, count, outputs.size() - m_outputs));
            } else {
                places.push_back(m_outputs == 2  ? ofDirection(output, count)
                                 : isTimeMajor() ? turned(count)
                                                 : sameOrder(count));
            }
        }
        return places;
    }

private:
    bool isTimeMajor() const { return m_steps.value("time_major", false) && m_everyStep; }
    std::int64_t place(std::int64_t row, std::int64_t step, std::int64_t direction,
                       std::int64_t unit) const
    {
        const std::int64_t steps = m_everyStep ? m_inputSteps : 1;
        return ((row * steps + step) * m_directions + direction) * m_units + unit;
    }
    /// [steps, rows, units]
    std::vector<std::int64_t> turned(std::size_t count) const
    {
        std::vector<std::int64_t> places;
        const std::int64_t width = m_directions * m_units;
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
            places.push_back(place(i / width % m_rows, i / width / m_rows, 0, 0) + i % width);
        }
        return places;
    }
    std::vector<std::int64_t> ofDirection(std::size_t direction, std::size_t count) const
    {
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
            const std::int64_t step = i / m_units;
            places.push_back((step * 2 + static_cast<std::int64_t>(direction)) * m_units +
                             i % m_units);
        }
        return places;
    }
    bool isShown(std::int64_t row, std::int64_t step) const
    {
        const Json masks = m_case.value("input_masks", Json::array());
        return masks.empty() || masks[0].is_null() ||
               masks[0]["values"][static_cast<std::size_t>(row * m_inputSteps + step)] == true;
    }
    /// The step whose output is the state of a row; kConstant without one. Outputs of a direction
    /// stand where their inputs do and are zeros where steps are hidden; others repeat the last
    /// one.
    std::int64_t lastStep(std::int64_t row, bool isBackward) const
    {
        std::int64_t last = kConstant;
        for (std::int64_t i = 0; i < m_inputSteps; ++i) {
            const std::int64_t step = isBackward ? m_inputSteps - 1 - i : i;
            last = isShown(row, step) ? step : last;
        }
        if (last == kConstant || !m_everyStep) {
            return last == kConstant ? last : 0;
        }
        return m_zeroesHidden ? last : m_inputSteps - 1;
    }
    std::vector<std::int64_t> ofState(std::size_t state, std::size_t count,
                                      std::size_t states) const
    {
        const std::size_t each = m_isBidirectional ? states / 2 : states;
        const std::size_t direction = state / each;
        // A layer of several cells gives the states of all; the last cell's comes last.
        const bool isStacked =
            m_config.contains("cell") && m_config["cell"]["config"].contains("cells");
        const bool isOutput = isStacked ? state + 1 == states : state % each == 0;
        // Directions that are added up cannot be told apart.
        const bool isMixed = m_isBidirectional && m_directions == 1;
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
            const std::int64_t row = i / m_units;
            const std::int64_t step = lastStep(row, direction == 1);
            const bool begins = m_case.value("call", Json::object()).contains("initial_state");
            if (!isOutput || isMixed || (step == kConstant && begins)) {
                places.push_back(kNowhere);
            } else {
                places.push_back(
                    step == kConstant
                        ? kConstant
                        : place(row, step, static_cast<std::int64_t>(direction), i % m_units));
            }
        }
        return places;
    }

    const Json& m_case;
    const Json& m_config;
    bool m_isBidirectional;
    const Json& m_steps; ///< the config that says how steps are run
    std::int64_t m_rows;
    std::int64_t m_inputSteps;
    std::size_t m_outputs = 1;
    std::int64_t m_directions = 1;
    std::int64_t m_units = 1;
    bool m_everyStep = false;
    bool m_zeroesHidden = false; ///< outputs of hidden steps
};

} // namespace

OutputPlaces outputPlacesOf(const Json& layerCase)
{
    const Json& config = layerCase["config"];
    if (config.contains("return_sequences") || layerCase["class"] == "Bidirectional") {
        return RecurrentPlaces(layerCase).find();
    }
    OutputPlaces places{sameOrder(layerCase["outputs"][0]["values"].size())};
    for (std::size_t output = 1; output < layerCase["outputs"].size(); ++output) {
        places.emplace_back(layerCase["outputs"][output]["values"].size(), kNowhere);
    }
    return places;
}

} // namespace cannery::tests
