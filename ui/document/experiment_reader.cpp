// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_reader.h"

#include "ui/document/background.h"
#include "ui/document/experiment_text.h"

#include <utility>

namespace cannery::ui {

ExperimentReader::ExperimentReader(const ExperimentText& text) : m_text(text)
{
    m_parser.setMaxThreadCount(1);
}

ExperimentReader::~ExperimentReader()
{
    m_parser.waitForDone();
}

void ExperimentReader::reset(bool loads)
{
    m_reading = std::make_shared<ExperimentReading>();
    m_isLoading = loads;
}

bool ExperimentReader::isCurrent() const
{
    return m_reading->bytes == m_text.bytes();
}

void ExperimentReader::read(const QString& file)
{
    const quint64 revision = m_text.revision();
    inBackground(
        m_parser, this,
        [bytes = m_text.bytes(), file, newest = m_text.newest(),
         revision]() -> ExperimentReadingPtr {
            return newest->load() > revision ? nullptr : readExperiment(bytes, file);
        },
        [this, revision](ExperimentReadingPtr reading) {
            if (reading && revision == m_text.revision()) {
                m_reading = std::move(reading);
                m_isLoading = false;
                Q_EMIT finished();
            }
        });
}

} // namespace cannery::ui
