// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "storage/tf/events/event_reader.h"
#include "storage/tf/graphs/graph_def_reader.h"
#include "ui/models/runs/run_summaries.h"
#include "ui/services/runs/event_file_list.h"
#include "ui/services/runs/step_reservoir.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace cannery::ui {

/// Reads everything but the scalars of a run's event files, again and again as they grow; the graph
/// of a run that logged none is that of its Keras model, or comes from its graph.pbtxt. Keeps at
/// most StepReservoir::kMostSteps values of a tag, kMostTags tags and a number of bytes of all;
/// beyond it, the largest tags are thinned out. One thread at a time.
class SummaryReader
{
public:
    static constexpr qint64 kMostTags = 10'000;
    static constexpr qint64 kMostBytes = 256'000'000;

    /// `folder`: as for SeriesStore::addRun().
    explicit SummaryReader(QString folder, qint64 mostBytes = kMostBytes);

    /// Reads for about as many milliseconds; `looks`: first looks for new files and bytes. True if
    /// there is more to read at once.
    bool read(bool looks, int milliseconds);
    RunSummaries summaries() const;

private:
    /// One event folder.
    struct Folder
    {
        QString key;
        std::unique_ptr<EventFileList> files;
        storage::EventReader::Plugins plugins;
        std::optional<storage::EventReader> reader; ///< of the file `current`
        std::uint32_t current = 0;
    };

    void look();
    void startAnew();
    bool readEvent(Folder& folder);
    void finish(Folder& folder, EventFileState& file, const std::string& problem);
    void take(const QString& folder, const storage::Event& event);
    void takeValue(const QString& folder, const storage::Event& event,
                   const storage::EventValue& value);
    void takeGraph(const QString& folder, const Result<std::vector<storage::GraphNode>>& nodes);
    void takeKerasModel(const QString& folder, const std::string& json);
    void readGraphFile();
    void dropFrom(const QString& folder, qint64 step);
    template <typename Step>
    void keep(std::map<SummaryKey, StepReservoir<Step>>& shelves, const SummaryKey& key, Step step,
              qint64 bytes);
    void makeRoom();

    QString m_path;
    qint64 m_mostBytes;
    std::vector<Folder> m_folders;
    std::map<SummaryKey, StepReservoir<HistogramStep>> m_histograms;
    std::map<SummaryKey, StepReservoir<TextStep>> m_texts;
    std::map<SummaryKey, StepReservoir<ImageStep>> m_images;
    std::map<SummaryKey, StepReservoir<PrCurveStep>> m_prCurves;
    QMap<SummaryKey, qint64> m_sounds;
    QMap<QString, std::shared_ptr<const RunGraph>> m_graphs;
    QMap<QString, std::shared_ptr<const RunGraph>> m_kerasGraphs;
    bool m_hasGraphFile = false; ///< graph.pbtxt was read, or tried
    QString m_graphProblem;      ///< why it cannot be read
    qint64 m_bytes = 0;
    qint64 m_leftOut = 0;
};

} // namespace cannery::ui
