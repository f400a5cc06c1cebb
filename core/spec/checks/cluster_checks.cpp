// SPDX-License-Identifier: Apache-2.0
// Rules of k-means: where its centers start.

#include "core/spec/checks/estimator_rules.h"

namespace cannery::spec {

namespace {

constexpr ErrorKind kGivenCenters{
    "spec.given_clusters",
    "{0} numbers are no {1} centers: give all coordinates of each, one center after another."};
constexpr ErrorKind kFirstBatch{
    "spec.clusters_of_first_batch",
    "{0} centers start at rows of the first batch, which has {1} rows: raise batch_size to {0}, or "
    "give the centers (initial_clusters {{ given {{ … }} }})."};

} // namespace

void checkClusters(ValidationContext& context, const SpecPath& path)
{
    const KMeans& kmeans = context.experiment.estimator().kmeans();
    if (kmeans.num_clusters() < 1) {
        return; // reported with the fields
    }
    if (kmeans.initial_clusters().has_given()) {
        const int count = kmeans.initial_clusters().given().value_size();
        if (count % kmeans.num_clusters() != 0) {
            context.report(
                path.child("initial_clusters").child("given").child("value"),
                error(ErrorCode::InvalidArgument, kGivenCenters, count, kmeans.num_clusters()));
        }
        return;
    }
    const std::int64_t batch = context.experiment.train_spec().input().batch_size();
    if (batch > 0 && batch < kmeans.num_clusters()) {
        context.report(
            SpecPath{}.child("train_spec").child("input").child("batch_size"),
            error(ErrorCode::InvalidArgument, kFirstBatch, kmeans.num_clusters(), batch));
    }
}

} // namespace cannery::spec
