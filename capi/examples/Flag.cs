// flag.c in C#: a flag of 24 x 16 vertices flies for two seconds; a snapshot is taken after one, and gone back to. It
// prints the same line, with the same hash. `mcs Flag.cs && mono Flag.exe`, or in a project of `dotnet new console`.
//
// .NET looks for the library in the program's folder and where the system does (LD_LIBRARY_PATH, PATH). In Unity this
// file goes into Assets/Scripts, and the library (seidel_c.dll, libseidel_c.so or libseidel_c.dylib) into
// Assets/Plugins. Make Plan and Solver in Start, step in FixedUpdate by Time.fixedDeltaTime, and dispose of both in
// OnDestroy. An array of Vector3 has the layout that `Read` fills: declare it so. Unity's axes are left-handed: change
// the sign of every z, and swap two vertices of each triangle.
using System;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Seidel
{
    // Names, order and types are those of seidel.h; other structs of it are declared in the same way.

    public enum SeidelStatus { Ok, Null, Argument, Scene, Rejected, Stopped, Snapshot, Small, Busy, Handle, Panic }

    [StructLayout(LayoutKind.Sequential)]
    public struct SeidelSceneDef
    {
        public IntPtr toml;
        public UIntPtr toml_length;
        public IntPtr meshes;
        public UIntPtr mesh_count;
        public ulong memory;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct SeidelForces
    {
        public uint body;
        public IntPtr forces;
        public UIntPtr count;
    }

    // `seidel_default_input` is not declared, because P/Invoke cannot return a struct that has a bool: it returns what
    // `new SeidelInput { dt = ... }` is.
    [StructLayout(LayoutKind.Sequential)]
    public struct SeidelInput
    {
        public float dt;
        [MarshalAs(UnmanagedType.U1)] public bool held;
        public IntPtr gravity;
        public IntPtr wind;
        public IntPtr poses;
        public UIntPtr pose_count;
        public IntPtr forces;
        public UIntPtr force_count;
        public IntPtr vertices;
        public UIntPtr vertices_count;
        public IntPtr pins;
        public UIntPtr pin_count;
        public IntPtr pulls;
        public UIntPtr pull_count;
        public IntPtr pressures;
        public UIntPtr pressure_count;
        public IntPtr pushes;
        public UIntPtr push_count;
        public IntPtr cuts;
        public UIntPtr cut_count;
        public IntPtr motors;
        public UIntPtr motor_count;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct SeidelBodyInfo
    {
        public UIntPtr vertices;
        public UIntPtr triangles;
        public UIntPtr tets;
        public UIntPtr frames;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct SeidelReport
    {
        public uint contacts;
        public uint pair_contacts;
        public uint rigid_contacts;
        public uint torn;
        public uint tears_refused;
        [MarshalAs(UnmanagedType.U1)] public bool lost;
        [MarshalAs(UnmanagedType.U1)] public bool stopped;
        public uint lost_body;
        public uint lost_vertex;
        public double motion_seconds;
        public double constraint_seconds;
        public double contact_seconds;
    }

    // The functions of seidel.h. Handles pass as SafeHandles, so none is freed during a call. Arrays of numbers are not
    // copied: they are pinned for the call, and the library writes into them.
    static class Native
    {
        const string Library = "seidel_c";
        const CallingConvention Cdecl = CallingConvention.Cdecl;
        public const uint AbiVersion = 3;
        public const uint ThingBody = 0;
        public const uint FieldPositions = 0;

        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern uint seidel_abi_version();
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern IntPtr seidel_last_error();
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern IntPtr seidel_status_name(uint status);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelSceneDef seidel_default_scene_def();
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_plan_create(ref SeidelSceneDef def, out IntPtr plan);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_plan_free(IntPtr plan);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_plan_find(Plan plan, uint thing, byte[] name, out uint index);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_plan_body(Plan plan, uint body, out SeidelBodyInfo info);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_solver_create(Plan plan, IntPtr execution, out IntPtr solver);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_solver_free(IntPtr solver);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_solver_step(
            Solver solver, ref SeidelInput input, out SeidelReport report);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_solver_hash(Solver solver, out ulong hash);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_solver_read(
            Solver solver, uint field, uint index, [Out] float[] values, UIntPtr bytes, UIntPtr stride);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_state_save(
            Solver solver, [Out] byte[] bytes, UIntPtr room, out UIntPtr need);
        [DllImport(Library, CallingConvention = Cdecl)]
        public static extern SeidelStatus seidel_state_load(Solver solver, byte[] bytes, UIntPtr length);

        // A text of the library: UTF-8 that ends with a zero.
        public static string Text(IntPtr start)
        {
            int length = 0;
            while (Marshal.ReadByte(start, length) != 0) ++length;
            byte[] bytes = new byte[length];
            Marshal.Copy(start, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }
    }

    // What went wrong: the status, its name, and the text of the call.
    public sealed class SeidelException : Exception
    {
        public readonly SeidelStatus Status;

        SeidelException(SeidelStatus status, string text) : base(text) { Status = status; }

        // Comes behind each call, on the same thread: texts are kept by thread.
        public static void Check(SeidelStatus status)
        {
            if (status == SeidelStatus.Ok) return;
            string name = Native.Text(Native.seidel_status_name((uint)status));
            throw new SeidelException(status, name + ": " + Native.Text(Native.seidel_last_error()));
        }
    }

    // An array that stays where it is, so that a struct can have its address.
    public sealed class Pinned : IDisposable
    {
        GCHandle handle;

        public Pinned(Array array) { handle = GCHandle.Alloc(array, GCHandleType.Pinned); }

        public IntPtr Address { get { return handle.AddrOfPinnedObject(); } }

        public void Dispose() { if (handle.IsAllocated) handle.Free(); }
    }

    // A SafeHandle is disposable, and is freed by the collector if nobody has disposed of it.
    public sealed class Plan : SafeHandle
    {
        // Plans a scene, the text of a scene file.
        public Plan(string toml) : base(IntPtr.Zero, true)
        {
            if (Native.seidel_abi_version() != Native.AbiVersion)
            {
                throw new NotSupportedException("the library has another interface than this file");
            }
            byte[] text = Encoding.UTF8.GetBytes(toml);
            using (Pinned pinned = new Pinned(text))
            {
                SeidelSceneDef def = Native.seidel_default_scene_def();
                def.toml = pinned.Address;
                def.toml_length = (UIntPtr)text.Length;
                SeidelException.Check(Native.seidel_plan_create(ref def, out handle));
            }
        }

        public uint FindBody(string name)
        {
            uint body;
            byte[] text = Encoding.UTF8.GetBytes(name + "\0");
            SeidelException.Check(Native.seidel_plan_find(this, Native.ThingBody, text, out body));
            return body;
        }

        public int Vertices(uint body)
        {
            SeidelBodyInfo info;
            SeidelException.Check(Native.seidel_plan_body(this, body, out info));
            return (int)info.vertices;
        }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        protected override bool ReleaseHandle() { return Native.seidel_plan_free(handle) == SeidelStatus.Ok; }
    }

    public sealed class Solver : SafeHandle
    {
        // At the scene's start. The plan may be disposed of before the solver.
        public Solver(Plan plan) : base(IntPtr.Zero, true)
        {
            SeidelException.Check(Native.seidel_solver_create(plan, IntPtr.Zero, out handle));
        }

        public SeidelReport Step(ref SeidelInput input)
        {
            SeidelReport report;
            SeidelException.Check(Native.seidel_solver_step(this, ref input, out report));
            return report;
        }

        // Fills an array with a body's positions: x, y, z for each vertex, metres. Nothing is allocated.
        public void Read(uint body, float[] positions)
        {
            UIntPtr bytes = (UIntPtr)(positions.Length * sizeof(float));
            uint field = Native.FieldPositions;
            SeidelException.Check(Native.seidel_solver_read(this, field, body, positions, bytes, UIntPtr.Zero));
        }

        public ulong Hash()
        {
            ulong hash;
            SeidelException.Check(Native.seidel_solver_hash(this, out hash));
            return hash;
        }

        public byte[] Save()
        {
            UIntPtr need;
            SeidelStatus status = Native.seidel_state_save(this, null, UIntPtr.Zero, out need);
            if (status != SeidelStatus.Small) SeidelException.Check(status);
            byte[] bytes = new byte[(int)need];
            SeidelException.Check(Native.seidel_state_save(this, bytes, need, out need));
            return bytes;
        }

        public void Load(byte[] bytes)
        {
            SeidelException.Check(Native.seidel_state_load(this, bytes, (UIntPtr)bytes.Length));
        }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        protected override bool ReleaseHandle() { return Native.seidel_solver_free(handle) == SeidelStatus.Ok; }
    }

    public static class Flag
    {
        const string Scene =
            "[solver]\n" +
            "substeps = 10\n" +
            "[air]\n" +
            "wind = [6, 0, 1]\n" +
            "[[cloth]]\n" +
            "name = \"flag\"\n" +
            "resolution = [24, 16]\n" +
            "size = [1.5, 1]\n" +
            "position = [0, 2, 0]\n" +
            "rotation = { axis = [1, 0, 0], degrees = 90 }\n" +
            "pin = [\"first-column\"]\n" +
            "drag = 1.2\n" +
            "lift = 1.5\n";

        static int Main()
        {
            using (Plan plan = new Plan(Scene))
            using (Solver solver = new Solver(plan))
            {
                uint flag = plan.FindBody("flag");
                float[] positions = new float[3 * plan.Vertices(flag)];

                // A push at all vertices, in newtons.
                float[] forces = new float[positions.Length];
                for (int z = 2; z < forces.Length; z += 3) forces[z] = 1e-3f;
                SeidelForces[] pushed = new SeidelForces[1];
                using (Pinned numbers = new Pinned(forces))
                using (Pinned list = new Pinned(pushed))
                {
                    UIntPtr count = (UIntPtr)plan.Vertices(flag);
                    pushed[0] = new SeidelForces { body = flag, forces = numbers.Address, count = count };
                    SeidelInput input = new SeidelInput { dt = 1.0f / 60.0f };
                    input.forces = list.Address;
                    input.force_count = (UIntPtr)pushed.Length;
                    Run(solver, ref input, flag, positions, 0, 60);
                    byte[] snapshot = solver.Save();
                    Run(solver, ref input, flag, positions, 60, 120);
                    ulong hash = solver.Hash();
                    int x = positions.Length - 3;
                    Console.Write(string.Format(CultureInfo.InvariantCulture,
                        "{0:x16}: the last of {1} vertices is at {2:F3} {3:F3} {4:F3} m\n",
                        hash, positions.Length / 3, positions[x], positions[x + 1], positions[x + 2]));
                    solver.Load(snapshot);
                    Run(solver, ref input, flag, positions, 60, 120);
                    if (solver.Hash() == hash) return 0;
                }
            }
            Console.Error.WriteLine("from the snapshot on it has gone another way");
            return 1;
        }

        // Each frame: a step, and the positions to draw.
        static void Run(Solver solver, ref SeidelInput input, uint flag, float[] positions, int frame, int end)
        {
            for (; frame < end; ++frame)
            {
                solver.Step(ref input);
                solver.Read(flag, positions);
            }
        }
    }
}
