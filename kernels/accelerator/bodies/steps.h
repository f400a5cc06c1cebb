// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"

/// Sequences of a batch, put in the order of time; see DeviceSteps.
namespace cannery::kernels::bodies {

/// For each step of each row.
struct PlaceStepsBody
{
    PlaceSteps place;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place step = placeOf(index, place.rows);
        const std::int64_t time = step.row;
        const std::int64_t row = place.index.cursor == nullptr
                                     ? step.col
                                     : stepValue<std::int64_t>(place.index)[step.col];
        const std::int64_t first = place.rowOffsets[row];
        const std::int64_t length = place.rowOffsets[row + 1] - first;
        place.places[index] = time < length ? first + time : -1;
        if (time == 0) {
            place.lengths[step.col] = length;
        }
    }
};

/// For each element of dst.
struct GatherStepsBody
{
    GatherSteps gather;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, gather.dst.cols);
        const std::int64_t source = gather.places[place.row];
        element(gather.dst, place) = source < 0 ? 0.0F : element(gather.table, {source, place.col});
    }
};

/// For each row, and one more.
struct GatherStepIdsBody
{
    GatherStepIds gather;

    CANNERY_HOST_DEVICE void operator()(std::int64_t row) const
    {
        gather.rowOffsets[row] = row;
        if (row == gather.rows) {
            return;
        }
        const std::int64_t source = gather.places[row];
        gather.ids[row] = source < 0 ? -1 : gather.table.ids[source];
        if (gather.weights != nullptr) {
            gather.weights[row] = source < 0 ? 0.0F : gather.table.weights[source];
        }
    }
};

/// For each element of dst.
struct CountIdsBody
{
    CountIds count;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, count.dst.cols);
        const DeviceIds& ids = count.ids;
        float sum = 0;
        for (std::int64_t e = ids.rowOffsets[place.row]; e < ids.rowOffsets[place.row + 1]; ++e) {
            if (ids.ids[e] == place.col) {
                sum += ids.weights == nullptr ? 1.0F : ids.weights[e];
            }
        }
        element(count.dst, place) = sum;
    }
};

/// For each element of dst.
struct RepeatStepsBody
{
    RepeatSteps repeat;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, repeat.dst.cols);
        const Place step = placeOf(place.row, repeat.steps.rows);
        const bool isThere = step.row < repeat.steps.lengths[step.col];
        element(repeat.dst, place) = isThere ? element(repeat.src, {step.col, place.col}) : 0.0F;
    }
};

/// For each element of dst.
struct SumStepsBody
{
    SumSteps sum;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, sum.dst.cols);
        float total = 0;
        for (std::int64_t time = 0; time < sum.steps.lengths[place.row]; ++time) {
            total += element(sum.src, {time * sum.steps.rows + place.row, place.col});
        }
        element(sum.dst, place) = total;
    }
};

template <typename Launcher>
void run(Launcher& launcher, const PlaceSteps& place)
{
    launcher.forEach(place.rows * place.most, PlaceStepsBody{place});
}

template <typename Launcher>
void run(Launcher& launcher, const GatherSteps& gather)
{
    launcher.forEach(gather.dst.rows * gather.dst.cols, GatherStepsBody{gather});
}

template <typename Launcher>
void run(Launcher& launcher, const GatherStepIds& gather)
{
    launcher.forEach(gather.rows + 1, GatherStepIdsBody{gather});
}

template <typename Launcher>
void run(Launcher& launcher, const CountIds& count)
{
    launcher.forEach(count.dst.rows * count.dst.cols, CountIdsBody{count});
}

template <typename Launcher>
void run(Launcher& launcher, const RepeatSteps& repeat)
{
    launcher.forEach(repeat.dst.rows * repeat.dst.cols, RepeatStepsBody{repeat});
}

template <typename Launcher>
void run(Launcher& launcher, const SumSteps& sum)
{
    launcher.forEach(sum.dst.rows * sum.dst.cols, SumStepsBody{sum});
}

} // namespace cannery::kernels::bodies
