// Light or dark: as the system has it, unless the reader has chosen.
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'system' | 'light' | 'dark';
const listeners = new Set<(theme: Theme) => void>();
let current: Theme = read();

function read(): Theme {
  try {
    const kept = localStorage.getItem('theme');
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

function apply() {
  document.documentElement.dataset.theme = effectiveTheme(current);
}

export function effectiveTheme(theme: Theme): 'light' | 'dark' {
  if (theme !== 'system') return theme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function setTheme(theme: Theme) {
  current = theme;
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  apply();
  listeners.forEach((tell) => tell(theme));
}

export function useTheme(): Theme {
  const [theme, tell] = useState(current);
  const [, again] = useState(0);
  useEffect(() => {
    listeners.add(tell);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => { apply(); again((n) => n + 1); };
    system.addEventListener('change', changed);
    return () => { listeners.delete(tell); system.removeEventListener('change', changed); };
  }, []);
  return theme;
}

apply();
