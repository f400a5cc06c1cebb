// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/view_state_saver.h"

#include "ui/pages/page.h"
#include "ui/services/runs/run_catalog.h"

namespace cannery::ui {
namespace {

constexpr int kEverySeconds = 4;

} // namespace

ViewStateSaver::ViewStateSaver(RunCatalog& catalog, QObject* parent)
    : QObject(parent), m_catalog(&catalog)
{
    connect(&catalog, &RunCatalog::snapshotChanged, this, &ViewStateSaver::restoreWhenLoaded);
    m_timer.setInterval(kEverySeconds * 1000);
    m_timer.setTimerType(Qt::VeryCoarseTimer);
    connect(&m_timer, &QTimer::timeout, this, &ViewStateSaver::save);
}

void ViewStateSaver::addPage(Page* page)
{
    m_pages.append(page);
}

void ViewStateSaver::projectChanged()
{
    m_restored = false;
    m_written.clear();
    m_timer.stop();
    m_folder = m_catalog->folder();
    restoreWhenLoaded();
}

void ViewStateSaver::restoreWhenLoaded()
{
    if (m_restored || !m_catalog->isLoaded() || m_catalog->folder().isEmpty()) {
        return;
    }
    m_restored = true;
    m_folder = m_catalog->folder();
    for (Page* page : m_pages) {
        const QByteArray state = m_catalog->viewState(page->id());
        m_written[page->id()] = state;
        if (!state.isEmpty()) {
            page->restoreState(state);
        }
    }
    m_timer.start();
}

void ViewStateSaver::save()
{
    if (!m_restored || m_catalog->folder() != m_folder) {
        return;
    }
    for (const Page* page : m_pages) {
        const QByteArray state = page->saveState();
        if (!state.isEmpty() && state != m_written.value(page->id())) {
            m_written[page->id()] = state;
            m_catalog->setViewState(page->id(), state);
        }
    }
}

} // namespace cannery::ui
